/**
 * Renewals of leases, at their statements: one under an older fence moves nothing, and is answered
 * without the row.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { renewCampaignLeases } from '../../../src/db/campaigns/campaign-leases.ts'
import { renewLeases } from '../../../src/db/sending/claims.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { handedOver, claim, startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { service } = world

test('a renewal under an older fence moves nothing and is answered with nothing', async () => {
  const workspace = await world.workspace('older fence')
  const row = await claimed(workspace)
  const before = await nextInOf(row.messageId)
  assert.deepEqual(
    await renewLeases(service.db, workspace.id, [{ ...row, fence: row.fence - 1 }], 90),
    [],
  )
  assert.ok((await nextInOf(row.messageId)) <= before)
  assert.equal((await renewLeases(service.db, workspace.id, [row], 90)).length, 1)
  assert.ok((await nextInOf(row.messageId)) > 80)
})

test('a campaign’s renewal under an older fence moves nothing, and is answered without it', async () => {
  const workspace = await world.workspace('campaign fence')
  await addSubscribers(world, workspace, 2, 'fence.example')
  const campaignId = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, campaignId)).status, 202)
  const key = { workspaceId: workspace.id, campaignId }
  const { claimed: rows } = await recordAndClaim(service.db, key, {
    sent: [],
    max: 2,
    leaseSeconds: 90,
  })
  const [first, second] = rows
  assert.ok(first && second)
  await world.run(
    `update campaign_recipient set fence = fence + 1 where subscriber_id = '${first.subscriberId}'`,
  )
  const before = await leaseOf(first.subscriberId)
  const stored = await renewCampaignLeases(service.db, key, [first, second], 600)
  assert.deepEqual(
    stored.map(({ subscriberId }) => subscriberId),
    [second.subscriberId],
  )
  assert.deepEqual(await leaseOf(first.subscriberId), before)
})

async function claimed(
  workspace: TestWorkspace,
): Promise<{ workspaceId: number; messageId: string; position: number; fence: number }> {
  const messageId = await handedOver(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  const [row] = await claim(world, workspace)
  assert.equal(row?.messageId, messageId)
  // As if it had been claimed long ago.
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  return { workspaceId: workspace.id, messageId, position: 0, fence: row.fence }
}

async function nextInOf(messageId: string): Promise<number> {
  const [row] = await service.db.rows<{ seconds: number }>(sql`
    select extract(epoch from next_at - facteur_now())::float8 as seconds from recipient where message_id = ${messageId}`)
  return row?.seconds ?? NaN
}

async function leaseOf(subscriberId: string): Promise<Date | undefined> {
  const [row] = await service.db.rows<{ until: Date }>(sql`
    select leased_until as until from campaign_recipient where subscriber_id = ${subscriberId}`)
  return row?.until
}
