/** A worker that lost its claim writes nothing: its fence is older than the delivery's (docs/decisions/0017). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/webhooks/publish-events.ts'
import { breakStatements } from '../../src/db/break-statements.ts'
import { sql } from '../../src/db/connect.ts'
import type { Connection } from '../../src/db/connect.ts'
import { claimDeliveries, recordAttempts } from '../../src/db/webhook-claims.ts'
import type { ClaimedDelivery } from '../../src/db/webhook-claims.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'

const api = await startApi({ workers: false })
const { db } = api.service
const workspace = await api.workspace('fence')
let minutes = 0

/** One delivery that was claimed, whose lease ended, and that was claimed again. */
async function claimedTwice(): Promise<[first: ClaimedDelivery, second: ClaimedDelivery]> {
  const body = { url: 'https://receiver.example/', events: ['campaign.sent'] }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: workspace.key, body }), 'id')
  await db.transaction((tx) => publishEvents(tx, workspace.id, [{ type: 'campaign.sent', data: {} }]))
  const claim = () => claimDeliveries(db, workspace.id, [{ webhookId: id, most: 1 }], 25)
  const [first] = await claim()
  assert.deepEqual(await claim(), [], 'while its lease lasts nobody else has it')
  await api.moveClock(`${(minutes += 1)} minutes`)
  const [second] = await claim()
  assert.ok(first && second && second.eventId === first.eventId && second.fence > first.fence)
  return [first, second]
}

const record = (connection: Connection, claimed: ClaimedDelivery) => {
  const came = { outcome: 'delivered', status: 200, body: 'ok', error: null, durationMs: 1, sent: null } as const
  return recordAttempts(connection, workspace.id, [{ ...claimed, ...came }], { failingSeconds: 1 })
}

const rowOf = async ({ webhookId, eventId }: ClaimedDelivery): Promise<unknown> => {
  const [row] = await db.rows(sql`
    select * from webhook_delivery where workspace_id = ${workspace.id} and webhook_id = ${webhookId} and event_id = ${eventId}`)
  return row
}

test('what the first holder records after the delivery was claimed again changes nothing; the second holder ends it', async () => {
  const [first, second] = await claimedTwice()
  const before = await rowOf(second)
  await record(db, first)
  assert.deepEqual(await rowOf(second), before)
  await record(db, second)
  assert.partialDeepStrictEqual(await rowOf(second), { status: 'delivered', is_leased: false })
})

test('webhooks.fence:broken: without the fence the first holder ends the delivery of the second', async () => {
  const [first, second] = await claimedTwice()
  await record(breakStatements(db, { broken: (name) => name === 'webhooks.fence' }), first)
  assert.partialDeepStrictEqual(await rowOf(second), { status: 'delivered', is_leased: false })
})
