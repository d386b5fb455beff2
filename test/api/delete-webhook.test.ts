/**
 * DELETE /api/v1/webhooks/{id}: the subscription goes, and its journal with it (spec: Webhooks).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'

const api = await startApi()
const shop = await api.workspace('shop')

test('200, then 404; its journal is deleted, and no event is pending for it', async () => {
  const body = { url: 'http://127.0.0.1:1/', events: ['email.sent'] }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
  const { db } = api.service
  const publish = () =>
    db.transaction((tx) => publishEvents(tx, shop.id, [{ type: 'email.sent', data: {} }]))
  assert.equal(await publish(), 1)
  const remove = () => ask(api.baseUrl, `DELETE /api/v1/webhooks/${id}`, { key: shop.key })
  assertAnswered(await remove(), 200, { object: 'webhook', id, deleted: true })
  assertRefused(await remove(), 'not_found', { id })
  assertRefused(
    await ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries`, { key: shop.key }),
    'not_found',
  )
  assert.equal(await publish(), 0)
  assert.deepEqual(
    await db.rows(sql`select 1 from webhook_delivery where workspace_id = ${shop.id}`),
    [],
  )
  assert.deepEqual(await db.rows(sql`select 1 from webhook where workspace_id = ${shop.id}`), [])
})
