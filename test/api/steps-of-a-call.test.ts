/**
 * The cost of a call in steps: no step runs twice, and none runs for an answer that does not need
 * it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeUnknown } from '../../src/contract/describe-unknown.ts'
import { validateShape } from '../../src/core/input/validate-shape.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { callCounts } from '../support/call-counts.ts'
import { clientOf, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('steps')
const mail = { from: 'hello@steps.test', to: 'a@example.com', subject: 's', text: 't' }

test('a mail: its Host is counted once', async () => {
  const counts = await callCounts(async () => {
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail }),
      202,
    )
  })
  assert.equal(counts.get('receive-requests.ts hasOneHost'), 1)
})

test('of the headers of a call only those of its operation are read, and null among them is absent', () => {
  const read: string[] = []
  const parts: Record<string, unknown> = {
    'idempotency-key': 'k',
    'user-agent': 'x',
    cookie: 'y',
    accept: null,
  }
  const headers = new Proxy(parts, {
    get(target, name) {
      read.push(String(name))
      return Reflect.get(target, name)
    },
  })
  const input = validateShape('sendEmail', { params: {}, query: {}, headers, body: { ...mail } })
  assert.deepEqual(input.headers, { 'idempotency-key': 'k' })
  assert.deepEqual(new Set(read), new Set(['idempotency-key']))
  const without = validateShape('sendEmail', {
    params: {},
    query: {},
    headers: { 'idempotency-key': null },
    body: { ...mail },
  })
  assert.deepEqual(without.headers, {})
})

test('an unknown address is compared with ours only for a 404: not where there were too many requests', async () => {
  const { key } = await api.workspace('hasty', { ratePerMinute: 1 })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key }), 200)
  const refused = await callCounts(async () =>
    assertRefused(await ask(api.baseUrl, 'GET /api/v1/emailz', { key }), 'rate_limit_exceeded'),
  )
  assert.equal(refused.get('describe-unknown.ts describeUnknown'), undefined)
  const missing = await callCounts(async () =>
    assertRefused(await ask(api.baseUrl, 'GET /api/v1/emailz', { key: shop.key }), 'not_found', {
      nearest: 'GET /api/v1/emails',
    }),
  )
  assert.equal(missing.get('describe-unknown.ts describeUnknown'), 1)
})

test('letters are compared only where lengths leave a chance: a scanner’s long path costs next to nothing', async () => {
  describeUnknown('GET', '/')
  const path = `/${Array.from({ length: 8 }, (_, index) => 'abcdefghij'.repeat(4) + index).join('/')}`
  const counts = await callCounts(() => Promise.resolve(describeUnknown('GET', path)))
  assert.equal(counts.get('describe-unknown.ts describeUnknown'), 1)
  assert.equal(counts.get('nearest.ts distanceBetween'), undefined)
})

test('a tool call reads the arguments off no schema: that was done once, at the start', async () => {
  const client = clientOf(api.baseUrl, shop.key)
  const call = () =>
    client.call('add_subscriber', { email: 'a@example.com', double_opt_in: false, nickname: 'x' })
  await call()
  const counts = await callCounts(call)
  assert.equal(counts.get('tools.ts unknownArguments'), 1)
  assert.equal(counts.get('json-schema.ts plainSchema'), undefined)
})
