/**
 * Batch senders of a campaign: each process records which recipients may have passed the final dot
 * of its hand-offs (docs/decisions/0039).
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { movesToNow, fromNewestEnd } from '../../database/planner/moved-rows.ts'
import type { CampaignKey } from './campaign-key.ts'

/**
 * Registers a batch sender. Recipients that are claimed under its id are not at their dots until
 * `allowDots` says so.
 */
export async function insertBatchSender(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  id: string,
): Promise<void> {
  await db.count(sql`
    insert into batch_sender (workspace_id, campaign_id, id, opened_at)
    values (${workspaceId}, ${campaignId}, ${id}, facteur_now())`)
}

/**
 * Records all recipients that may be past their dots, with those whose dots are about to be
 * written. False if the batch sender is gone, since one of its leases ended or PostgreSQL lost it
 * in a crash; no dot may be written then.
 */
export function allowDots(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { id, version, atDot }: { id: string; version: number; atDot: string[] },
): Promise<boolean> {
  return db.changes(sql`
    update batch_sender p set at_dot = ${atDot}::uuid[], version = ${version}, ${movesToNow}
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and id = ${id}
      and version < ${version} and not is_closed
      and moved_at >= (select moved_at from batch_sender ${fromNewestEnd}
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and id = ${id}
        order by moved_at desc
        limit 1)`)
}

/** Removes a batch sender: its recipients that are still leased are in doubt. */
export async function deleteBatchSender(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  id: string,
): Promise<void> {
  await db.count(sql`
    delete from batch_sender
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and id = ${id}`)
}
