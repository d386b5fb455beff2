/** `GET /me`: what the key's workspace is, may and has left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'

const api = await startApi()

const me = (key: string) => ask(api.baseUrl, 'GET /api/v1/me', { key })

test('200: workspace, key, permissions, plan, domains, senders, state of sending', async () => {
  const shop = await api.workspace('shop')
  await shop.addDomain('xn--bcher-kva.test')
  await shop.addDomain('pending.test', { verified: false })
  const answer = await me(shop.key)
  assertAnswered(answer, 200, {
    object: 'account',
    workspace: { name: 'shop', slug: 'shop' },
    quota: { used: 0 },
    verifiedDomains: ['shop.test', 'xn--bcher-kva.test'],
    domains: [
      { name: 'shop.test', status: 'verified' },
      { name: 'xn--bcher-kva.test', status: 'verified' },
      { name: 'pending.test', status: 'pending' },
    ],
    senders: [{ email: 'hello@shop.test', default: true }],
    subscribers: 0,
    sending: { status: 'active', bounce_rate: 0, complaint_rate: 0 },
  })
  const { scopes, permissions, key, senders } = Object(answer.body)
  assert.match(senders[0].created_at, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  assert.equal(senders[0].createdAt, senders[0].created_at, 'the first spelling goes on answering')
  assert.deepEqual(permissions, scopes)
  assert.ok(
    shop.key.startsWith(key.prefix) && key.prefix.length < shop.key.length / 2,
    'the prefix gives little of the key away',
  )
})

test('200: any key will do, and the answer has its own permissions', async () => {
  const shop = await api.workspace('scopes')
  assertAnswered(await me(await shop.makeKey(['campaigns:read'])), 200, {
    scopes: ['campaigns:read'],
  })
})

test('200: without a limit, limit and remaining are null and used counts all the same', async () => {
  const shop = await api.workspace('unlimited')
  const body = {
    from: `hello@${shop.domain}`,
    to: ['a@example.com', 'b@example.com'],
    cc: 'c@example.com',
    subject: 's',
    text: 't',
  }
  await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body })
  assertAnswered(await me(shop.key), 200, {
    remaining: null,
    plan: { monthly_quota: null },
    quota: { limit: null, remaining: null, used: 3 },
  })
})

test('200: with a limit, what is left of the month, and when the next one begins (UTC)', async () => {
  const shop = await api.workspace('limited', { monthlyQuota: 100 })
  const answer = await me(shop.key)
  assertAnswered(answer, 200, {
    remaining: 100,
    plan: { monthly_quota: 100 },
    quota: { limit: 100, remaining: 100, used: 0 },
  })
  assert.match(Object(answer.body).quota.resets_at, /^\d{4}-\d\d-01T00:00:00\.000Z$/)
})

test('200: sending is suspended above 5 % of bounces, with the rates', async () => {
  const shop = await api.workspace('suspended')
  await shop.setReputation({ handOffs: 200, bounces: 11, complaints: 0 })
  assertAnswered(await me(shop.key), 200, {
    sending: { status: 'suspended', bounce_rate: 0.055, complaint_rate: 0 },
  })
})
