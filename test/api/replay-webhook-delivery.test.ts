/**
 * POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay: refusals and the shape; its attempts
 * are in test/core/webhooks/deliveries-and-replays.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { keysAt } from '../support/json.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const api = await startApi()
const receiver = await startReceiver()
const shop = await api.workspace('shop')
const create = () =>
  ask(api.baseUrl, 'POST /api/v1/webhooks', {
    key: shop.key,
    body: { url: receiver.url, events: ['email.sent'] },
  })
const [id, otherId] = [textAt(await create(), 'id'), textAt(await create(), 'id')]
const deliveryId = textAt(
  await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key }),
  'delivery_id',
)
const replay = (webhook: string, entry: string) =>
  ask(api.baseUrl, `POST /api/v1/webhooks/${webhook}/deliveries/${entry}/replay`, { key: shop.key })

test('200: the same bytes and event id, one attempt more', async () => {
  const answer = await replay(id, deliveryId)
  assert.deepEqual(keysAt(answer.body), [
    'object',
    'id',
    'status',
    'attempts',
    'response_status',
    'error',
  ])
  assertAnswered(answer, 200, {
    object: 'webhook_delivery',
    id: deliveryId,
    status: 'delivered',
    attempts: 2,
    response_status: 200,
  })
  const [first, second] = receiver.calls
  assert.equal(first?.body, second?.body)
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
})

test('404 not_found: an entry of another webhook, an unknown one, and a malformed id', async () => {
  for (const [webhook, entry] of [
    [otherId, deliveryId],
    [id, '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
    [id, 'nonsense'],
    ['nonsense', deliveryId],
  ] as const) {
    assertRefused(await replay(webhook, entry), 'not_found')
  }
})
