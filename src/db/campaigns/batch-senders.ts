/** Who of a campaign may have passed the final dot, by the word of the process that hands them over (docs/decisions/0039). */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'
import type { CampaignKey } from './campaign-claims.ts'

/** Opens a walk: recipients that are claimed under its id are not at their dots until `allowDots` says so. */
export async function insertBatchSender(db: Database, { workspaceId, campaignId }: CampaignKey, id: string): Promise<void> {
  await db.count(sql`
    insert into batch_sender (workspace_id, campaign_id, id, opened_at) values (${workspaceId}, ${campaignId}, ${id}, facteur_now())`)
}

/**
 * Notes all who may be past their dots, those included whose dots are about to be written. False: the walk was closed, since a lease of
 * it ended, or PostgreSQL crashed and forgot it; no dot may be written then.
 */
export async function allowDots(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { id, version, atDot }: { id: string; version: number; atDot: string[] },
): Promise<boolean> {
  const written = await db.count(sql`
    update batch_sender set at_dot = ${atDot}::uuid[], version = ${version}
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and id = ${id} and version < ${version} and not is_closed`)
  return written === 1
}

/** Ends a walk: whoever of it is leased yet is in doubt. */
export async function deleteBatchSender(db: Database, { workspaceId, campaignId }: CampaignKey, id: string): Promise<void> {
  await db.count(sql`
    delete from batch_sender where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and id = ${id}`)
}

/** Forgets the walks of processes that were killed; answers how many. One that goes on for longer opens another. */
export function deleteOldBatchSenders(db: Database, workspaceId: number): Promise<number> {
  return db.count(sql`
    delete from batch_sender where workspace_id = ${workspaceId} and opened_at < facteur_now() - interval '1 day'`)
}
