/** POST /api/v1/webhooks/{id}/replay: what a range takes and refuses (an extension; docs/decisions/0017). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/webhooks/publish-events.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const body = { url: 'https://shop.example/', events: ['email.sent'], enabled: false }
const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
for (const type of ['email.sent', 'email.bounced', 'email.sent'] as const)
  await api.service.db.transaction((tx) => publishEvents(tx, shop.id, [{ type, data: {} }]))
const replay = (range: object) => ask(api.baseUrl, `POST /api/v1/webhooks/${id}/replay`, { key: shop.key, body: range })

test('202: events of its types within the range, each once', async () => {
  assertAnswered(await replay({ from: '2020-01-01T00:00:00Z', to: '2021-01-01T00:00:00Z' }), 202, { queued: 0 })
  assertAnswered(await replay({ from: '2020-01-01T00:00:00+02:00' }), 202, {
    object: 'webhook_replay',
    webhook_id: id,
    queued: 2,
  })
  assertAnswered(await replay({ from: '2020-01-01T00:00:00Z', only: 'all' }), 202, { queued: 0 })
  const journal = await ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries`, { key: shop.key })
  assert.equal((journal.body as { data: unknown[] }).data.length, 2)
})

test('422 validation_error: no beginning, no time, another choice', async () => {
  assertRefused(await replay({}), 'validation_error', { path: 'from', rule: 'required' })
  assertRefused(await replay({ from: 'yesterday' }), 'validation_error', { path: 'from', rule: 'date-time' })
  assertRefused(await replay({ from: '2020-01-01T00:00:00Z', to: '2020' }), 'validation_error', { path: 'to' })
  assertRefused(await replay({ from: '2020-01-01T00:00:00Z', only: 'some' }), 'validation_error', { path: 'only' })
})
