/**
 * GET /api/v1/webhooks/{id}: with its secret, which lies sealed in the database (spec: Webhook
 * subscription).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const body = { name: 'shop', url: 'https://shop.example/', events: ['email.sent'] }
const created = await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body })

test('200: the webhook as its creation answered it, secret included', async () => {
  const answer = await ask(api.baseUrl, `GET /api/v1/webhooks/${textAt(created, 'id')}`, {
    key: shop.key,
  })
  assertAnswered(answer, 200)
  assert.deepEqual(answer.body, created.body)
})

test('404 not_found: a malformed identifier', async () => {
  assertRefused(
    await ask(api.baseUrl, 'GET /api/v1/webhooks/nonsense', { key: shop.key }),
    'not_found',
    { id: 'nonsense' },
  )
})
