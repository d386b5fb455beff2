/** The address that a call counts for: the socket's peer, or the one that a trusted proxy names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi, type Api } from '../support/api.ts'
import { ask } from '../support/ask.ts'

async function remaining(api: Api, forwardedFor: string): Promise<number> {
  const { headers } = await ask(api.baseUrl, 'GET /api/v1', {
    headers: { 'x-forwarded-for': forwardedFor },
  })
  return Number(headers.get('x-ratelimit-remaining'))
}

// All of them before the first test: what is started between two tests is ended with the first.
const trusting = (trustProxy: boolean | string): Promise<Api> =>
  startApi({ entry: () => ({ trustProxy }) })
const strangers = [
  { trustProxy: false, api: await trusting(false) },
  { trustProxy: '192.0.2.0/24', api: await trusting('192.0.2.0/24') },
]
const trusted = [
  { trustProxy: true, api: await trusting(true) },
  { trustProxy: '127.0.0.0/8,::1', api: await trusting('127.0.0.0/8,::1') },
]
const listed = await trusting('127.0.0.1')

for (const { trustProxy, api } of strangers) {
  test(`trusting ${trustProxy}, asked by 127.0.0.1: X-Forwarded-For is not believed, all calls count for the peer`, async () => {
    const first = await remaining(api, '203.0.113.1')
    assert.equal(await remaining(api, '203.0.113.2'), first - 1)
    assert.equal(await remaining(api, '203.0.113.3'), first - 2)
  })
}

for (const { trustProxy, api } of trusted) {
  test(`trusting ${trustProxy}, asked by 127.0.0.1: X-Forwarded-For is believed, each address has its own count`, async () => {
    const first = await remaining(api, '203.0.113.1')
    assert.equal(await remaining(api, '203.0.113.2'), first)
    assert.equal(await remaining(api, '203.0.113.1'), first - 1)
  })
}

test('the calls of one /64 of IPv6 count together, those of another one apart', async () => {
  const first = await remaining(listed, '2001:db8:0:1::1')
  assert.equal(await remaining(listed, '2001:db8:0:1:ffff:ffff:ffff:ffff'), first - 1)
  assert.equal(await remaining(listed, '2001:0db8::0001:0:0:0:7'), first - 2)
  assert.equal(await remaining(listed, '2001:db8:0:2::1'), first)
  assert.equal(
    await remaining(listed, '::ffff:198.51.100.77'),
    (await remaining(listed, '198.51.100.77')) + 1,
  )
})

test('the last address that no proxy of ours wrote counts, not what the caller put before it', async () => {
  const first = await remaining(listed, '198.51.100.1, 203.0.113.9')
  assert.equal(await remaining(listed, '198.51.100.2, 203.0.113.9'), first - 1)
})
