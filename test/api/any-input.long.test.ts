/** Anything in any field of a mail, and in any header, gets an answer of the contract. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operations, type OperationId } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { errorsOf } from '../../src/contract/operation-errors.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt, type Requested } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

/** The answer is one that the contract promises of the operation, and no internal error. */
async function checkCall(
  id: OperationId,
  request: Requested & { id?: string; query?: string },
): Promise<void> {
  const operation: Operation = operations[id]
  const path = operation.path.replace('{id}', encodeURIComponent(request.id ?? ''))
  const answer = await ask(api.baseUrl, `${operation.method} ${path}${request.query ?? ''}`, {
    key: shop.key,
    ...request,
  })
  if (answer.status < 400) return assert.equal(answer.status, operation.answer.status)
  const code = textAt(answer, 'name')
  assert.ok(
    code !== 'internal_error' && errorsOf(operation).some((known) => known === code),
    `${id}: ${JSON.stringify(answer.body)}`,
  )
}

const seed = 20_261_121
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\0', '\r\n', '__proto__', '<a@b.test>', 'é@é.test'),
)
const address = fc.oneof(
  fc.constantFrom('hello@shop.test', 'Camille <camille@example.com>', '"a b"@example.com'),
  text,
)
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
)
const maybe = <T>(sane: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: sane, weight: 6 }, { arbitrary: value, weight: 1 })

const email = fc.record(
  {
    from: maybe(fc.constantFrom('hello@shop.test', 'Boutique <hello@shop.test>')),
    to: maybe(fc.oneof(address, fc.array(address, { maxLength: 4 }))),
    cc: maybe(fc.array(address, { maxLength: 2 })),
    bcc: maybe(address),
    subject: maybe(text),
    html: maybe(text),
    text: maybe(text),
    replyTo: maybe(address),
    headers: maybe(fc.dictionary(text, text, { maxKeys: 3 })),
    tags: maybe(
      fc.oneof(
        fc.dictionary(text, text, { maxKeys: 3 }),
        fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
      ),
    ),
    attachments: maybe(
      fc.array(
        fc.record({
          filename: text,
          content: fc.base64String(),
          content_type: text,
          content_id: text,
        }),
        { maxLength: 2 },
      ),
    ),
    scheduled_at: maybe(
      fc.oneof(
        fc.date().map(String),
        fc.constantFrom(
          '2027-01-01T00:00:00Z',
          '9999-12-31T23:59:60Z',
          '2027-01-01T00:00:00+99:99',
        ),
      ),
    ),
  },
  { requiredKeys: [] },
)

test('POST /emails with anything in any field', async () => {
  await fc.assert(
    fc.asyncProperty(email, (body) => checkCall('sendEmail', { body })),
    { numRuns: 400, seed },
  )
})

test('any header of the API', async () => {
  const latin = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 250,
  })
  const body = { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' }
  const headers = fc.record(
    {
      'idempotency-key': latin,
      'accept-language': latin,
      'content-type': fc.oneof(latin, fc.constant('application/json')),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(headers, (sent) => checkCall('sendEmail', { body, headers: sent })),
    { numRuns: 200, seed },
  )
})
