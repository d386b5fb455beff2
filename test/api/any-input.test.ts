/**
 * Properties: any input gets an answer of the table, in its shape, and never a failure of ours
 * (seeded, replayable).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { apiOperationIds, operations, type OperationId } from '../../src/contract/operations.ts'
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

test('POST /emails/batch with anything among the messages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(email, value), { maxLength: 4 }), (body) =>
      checkCall('sendEmailBatch', { body }),
    ),
    { numRuns: 100, seed },
  )
})

test('any JSON at all, to every operation that takes a body', async () => {
  const taking = apiOperationIds.filter((id) => 'body' in operations[id])
  const call = fc.record({ id: fc.constantFrom(...taking), body: fc.jsonValue({ maxDepth: 6 }) })
  await fc.assert(
    fc.asyncProperty(call, ({ id, body }) =>
      checkCall(id, { id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', body }),
    ),
    { numRuns: 200, seed },
  )
})

test('any bytes as a body', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (raw) =>
      checkCall('addSuppression', { raw: new Uint8Array(raw) }),
    ),
    { numRuns: 200, seed },
  )
})

test('any id in a path', async () => {
  const id = text.filter(
    (candidate) => candidate.isWellFormed() && !['', '.', '..'].includes(candidate),
  )
  await fc.assert(
    fc.asyncProperty(id, (candidate) => checkCall('getEmail', { id: candidate })),
    { numRuns: 200, seed },
  )
})

test('any query, to both lists', async () => {
  const names = [...Object.keys(operations.listEmails.query.properties), 'email']
  const pair = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(
      text,
      fc.integer().map(String),
      fc.constantFrom('queued', '2026-01-01T00:00:00Z', 'a:b', ':'),
    ),
  )
  const call = fc.record({
    id: fc.constantFrom('listEmails' as const, 'listSuppression' as const),
    pairs: fc.array(pair, { maxLength: 4 }),
  })
  const checkQuery = ({ id, pairs }: { id: OperationId; pairs: [string, string][] }) =>
    checkCall(id, {
      query: `?${pairs.map(([name, raw]) => `${name}=${encodeURIComponent(raw.toWellFormed())}`).join('&')}`,
    })
  await fc.assert(fc.asyncProperty(call, checkQuery), { numRuns: 300, seed })
})
