/**
 * GET /api/v1/webhooks/{id}/deliveries: the journal, newest first, page by page (spec: Webhook
 * delivery; semantics 4: Journal entry).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { keysAt } from '../support/json.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const create = { url: 'https://shop.example/', events: ['email.sent'] }
const id = textAt(
  await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body: create }),
  'id',
)
for (let n = 0; n < 7; n++)
  await api.service.db.transaction((tx) =>
    publishEvents(tx, shop.id, [{ type: 'email.sent', data: { n } }]),
  )
const page = (query: string) =>
  ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries${query}`, { key: shop.key })

test('200: pending entries with every field, newest first, by pages that meet', async () => {
  const known: { id: string; created_at: string }[] = []
  for (let cursor = ''; ;) {
    const answer = await page(`?limit=3&cursor=${cursor}`)
    assertAnswered(answer, 200, { object: 'list' })
    const { data, has_more, next_cursor } = answer.body as {
      data: { id: string; created_at: string }[]
      has_more: boolean
      next_cursor: string
    }
    known.push(...data)
    assert.deepEqual(
      keysAt(data[0]).toSorted(),
      [
        ...[
          'object',
          'id',
          'webhook_id',
          'event_id',
          'type',
          'status',
          'attempts',
          'response_status',
          'response_body',
          'error',
        ],
        ...[
          'duration_ms',
          'test',
          'created_at',
          'last_attempt_at',
          'next_attempt_at',
          'attempt_log',
        ],
      ].toSorted(),
    )
    if (!has_more) break
    cursor = next_cursor
  }
  assert.equal(new Set(known.map((entry) => entry.id)).size, 7)
  const times = known.map((entry) => entry.created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
})

test('422 validation_error: a bad limit or cursor', async () => {
  assertRefused(await page('?limit=0'), 'validation_error', { path: 'limit' })
  assertRefused(await page('?limit=101'), 'validation_error', { path: 'limit' })
  assertRefused(await page('?cursor=x'), 'validation_error', { path: 'cursor' })
})
