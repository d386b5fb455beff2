/**
 * How requests of agents count: each once, and a tool call as nothing more than its REST call
 * (semantics 4: Rates).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf, message, post, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const remaining = ({ headers }: { headers: Headers }): number =>
  Number(headers.get('x-ratelimit-remaining'))

test('a tool call counts once, as its REST call does, and both use one rate', async () => {
  const shop = await api.workspace('once', { ratePerMinute: 10 })
  const client = clientOf(api.baseUrl, shop.key)
  assert.equal(remaining(await client.call('get_account')), 9)
  assert.equal(remaining(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })), 8)
  assert.equal(remaining(await client.call('get_email', { id: 'nonsense' })), 7)
  assert.equal(remaining(await client.request('tools/list')), 6)
  assert.equal(remaining(await client.request('tools/call', { name: 'nothing' })), 5)
})

test('429: beyond the rate a tool call is refused as its REST call is, with Retry-After; nothing is done', async () => {
  const shop = await api.workspace('beyond', { ratePerMinute: 2 })
  const client = clientOf(api.baseUrl, shop.key)
  for (let n = 0; n < 2; n++) assert.equal((await client.call('get_account')).isError, false)
  const mail = { from: 'hello@beyond.test', to: 'a@example.com', subject: 's', text: 't' }
  const refused = await client.request('tools/call', { name: 'send_email', arguments: mail })
  const rest = await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail })
  assertRefused(refused, 'rate_limit_exceeded')
  assert.deepEqual(Object(refused.body).error.details.limit, 2)
  assert.equal(at(refused.body, 'message'), at(rest.body, 'message'))
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(await shop.messages(), 0)
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key }), 'rate_limit_exceeded')
  await api.moveClock('62 seconds')
  assert.equal((await client.call('get_account')).isError, false)
})

test('beyond the rate everything is answered 429, and so is a long body, which is not read', async () => {
  const shop = await api.workspace('silent', { ratePerMinute: 1 })
  const client = clientOf(api.baseUrl, shop.key)
  await client.call('get_account')
  for (const method of [
    'initialize',
    'tools/list',
    'tools/call',
    'resources/read',
    'notifications/initialized',
    'ping',
    'x',
  ]) {
    const answer = await client.request(method)
    assert.deepEqual([answer.status, at(answer.body, 'name')], [429, 'rate_limit_exceeded'], method)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const long = message('tools/call', { name: 'send_email', arguments: { x: 'x'.repeat(300_000) } })
  assert.equal((await post(api.baseUrl, long, { key: shop.key })).status, 429)
})

test('a burst of 30 tool calls at a limit of 20 lets exactly 20 through', async () => {
  const shop = await api.workspace('burst', { ratePerMinute: 20 })
  const client = clientOf(api.baseUrl, shop.key)
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => client.request('tools/call', { name: 'get_account' })),
  )
  assert.deepEqual(
    [200, 429].map((code) => answers.filter(({ status }) => status === code).length),
    [20, 10],
  )
})

test('every entry of a batch counts: each one beyond the rate is refused by itself', async () => {
  const shop = await api.workspace('batch', { ratePerMinute: 3 })
  const call = (id: number): string => message('tools/call', { name: 'get_account' }, id)
  const { status, body } = await post(
    api.baseUrl,
    `[${[1, 2, 3, 4].map(call).join()},${message('ping', {}, 5)}]`,
    {
      key: shop.key,
    },
  )
  assert.equal(status, 200)
  assert.ok(Array.isArray(body))
  const codes = body.map(
    (entry) =>
      at(entry, 'result', 'structuredContent', 'name') ?? at(entry, 'error', 'data', 'code'),
  )
  assert.deepEqual(codes, [
    undefined,
    undefined,
    undefined,
    'rate_limit_exceeded',
    'rate_limit_exceeded',
  ])
})

test('callers without a key are counted by their address, and refused before a body is read', async () => {
  const answer = await post(api.baseUrl, message('ping'))
  assert.equal(answer.status, 401)
  assert.equal(answer.headers.get('x-ratelimit-limit'), '600')
})
