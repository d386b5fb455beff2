/**
 * POST /api/v1/webhooks/{id}/replay: what a range takes and refuses (an extension;
 * docs/decisions/0017).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const body = { url: 'https://shop.example/', events: ['email.sent'], enabled: false }
const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
// An event is stored only where some webhook subscribes to its type.
const bounces = { ...body, url: 'https://bounces.example/', events: ['email.bounced'] }
await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body: bounces })
for (const type of ['email.sent', 'email.bounced', 'email.sent'] as const)
  await api.service.db.transaction((tx) => publishEvents(tx, shop.id, [{ type, data: {} }]))
const replay = (range: object) =>
  ask(api.baseUrl, `POST /api/v1/webhooks/${id}/replay`, { key: shop.key, body: range })

test('202: events of its types within the range, each once', async () => {
  assertAnswered(await replay({ from: '2020-01-01T00:00:00Z', to: '2021-01-01T00:00:00Z' }), 202, {
    queued: 0,
  })
  assertAnswered(await replay({ from: '2020-01-01T00:00:00+02:00' }), 202, {
    object: 'webhook_replay',
    webhook_id: id,
    queued: 2,
  })
  assertAnswered(await replay({ from: '2020-01-01T00:00:00Z', only: 'all' }), 202, { queued: 0 })
  const journal = await ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries`, { key: shop.key })
  assert.equal((journal.body as { data: unknown[] }).data.length, 2)
})

test('202: a webhook gets no event of a type that it does not subscribe to, which another webhook does', async () => {
  const stored = await api.service.db.rows<{ type: string }>(
    sql`select type from event where workspace_id = ${shop.id} order by type`,
  )
  assert.deepEqual(
    stored.map(({ type }) => type),
    ['email.bounced', 'email.sent', 'email.sent'],
  )
  await replay({ from: '2020-01-01T00:00:00Z', only: 'all' })
  const journal = await api.service.db.rows<{ type: string }>(
    sql`select type from webhook_delivery where webhook_id = ${id} order by type`,
  )
  assert.deepEqual(
    journal.map(({ type }) => type),
    ['email.sent', 'email.sent'],
  )
})

test('422 validation_error: no beginning, no time, another choice', async () => {
  assertRefused(await replay({}), 'validation_error', { path: 'from', rule: 'required' })
  assertRefused(await replay({ from: 'yesterday' }), 'validation_error', {
    path: 'from',
    rule: 'date-time',
  })
  assertRefused(await replay({ from: '2020-01-01T00:00:00Z', to: '2020' }), 'validation_error', {
    path: 'to',
  })
  assertRefused(await replay({ from: '2020-01-01T00:00:00Z', only: 'some' }), 'validation_error', {
    path: 'only',
  })
})
