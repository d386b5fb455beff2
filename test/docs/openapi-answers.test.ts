/**
 * Every answer of every operation is one that the OpenAPI description declares, as an independent
 * validator reads it (Ajv, in every `ask`).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { errorExample } from '../../src/contract/operation-errors.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { violationsOf } from '../support/answer-referee.ts'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop', { ratePerMinute: 100_000 })
const all = operationIds
  .map((id): [string, Operation] => [id, operations[id]])
  .filter(([, { entry }]) => entry === 'api')

test('the referee finds undeclared and missing parts of an answer', () => {
  const every = {
    'x-request-id': 'one-call',
    'x-ratelimit-limit': '600',
    'x-ratelimit-remaining': '1',
    'x-ratelimit-reset': '1',
  }
  const me = Object(exampleOf(plainSchema(operations.getAccount.answer.schema)))
  const read = (status: number, body: unknown, headers: Record<string, string> = every): number =>
    violationsOf('GET /api/v1/me?x=1', { status, headers: new Headers(headers), body }).length
  assert.equal(read(200, me), 0)
  assert.equal(read(401, errorExample('revoked_api_key')), 0)
  assert.equal(read(200, { ...me, surprise: 1 }), 1)
  assert.equal(read(200, { ...me, subscribers: 'many' }), 1)
  assert.equal(read(200, { ...me, quota: { ...me.quota, resets_at: 'soon' } }), 1)
  assert.equal(read(200, { ...me, quota: undefined }), 1)
  assert.equal(read(401, errorExample('conflict')), 1)
  assert.equal(read(409, errorExample('conflict')), 1)
  assert.equal(read(200, me, { ...every, 'x-ratelimit-limit': 'many' }), 1)
  assert.equal(read(200, me, { 'x-request-id': 'one-call' }), 3)
  assert.deepEqual(
    violationsOf('GET /api/v1/nowhere', { status: 418, headers: new Headers(), body: null }),
    [],
  )
})

/** Calls that no client means, to find an undocumented status. */
const odd = {
  'a text that cannot be kept, in a query that nobody reads': { query: '?x=%00&y=%ED%A0%80&x=1' },
  'bounds of lists that are none': { query: '?limit=%00&cursor=%00&status=%00&after=x&email=%00' },
  'a body that is no JSON': { raw: '{' },
  'a body that is compressed': { raw: '{}', headers: { 'content-encoding': 'gzip' } },
  'a body of no type': { raw: '{}', type: null },
  'a body that is too deep': { raw: '['.repeat(30) + ']'.repeat(30) },
  'a header of letters beyond ASCII': {
    raw: '{}',
    headers: { 'idempotency-key': '\u00ff'.repeat(201) },
  },
}

for (const [id, { method, path, body }] of all) {
  test(`${id}: no odd call gets an answer that is not declared`, async () => {
    for (const [what, { query = '', ...requested }] of Object.entries<{
      query?: string
      raw?: string
      headers?: Record<string, string>
    }>(odd)) {
      for (const part of ['x', '%00', '%F0%9F%90%93', 'a'.repeat(2_000)]) {
        const filled = path.replaceAll(/\{\w+\}/g, part)
        const { raw: _raw, ...rest } = requested
        // fetch gives GET no body.
        const sent =
          method === 'GET' ? rest : { body: body && exampleOf(plainSchema(body)), ...requested }
        await assert.doesNotReject(
          ask(api.baseUrl, `${method} ${filled}${query}`, { key: shop.key, ...sent }),
          `${what}, ${part}`,
        )
      }
    }
  })
}
