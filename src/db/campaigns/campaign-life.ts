/**
 * Changes of a campaign outside its run, by users: schedule, unschedule, archive. Each names the states that it
 * leaves (docs/states.md).
 */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'

interface CampaignKey {
  workspaceId: number
  id: string
}

/** Sets when a finished draft, or one that is scheduled, is sent. False when it is neither. `at` is RFC 3339. */
export async function setSchedule(db: Database, { workspaceId, id }: CampaignKey, at: string): Promise<boolean> {
  const [row] = await db.rows<{ changed: boolean }>(sql`
    with changed as (
      update campaign set status = 'scheduled', scheduled_at = ${at}, notice = null,
        updated_at = date_trunc('milliseconds', facteur_now())
      where workspace_id = ${workspaceId} and id = ${id} and status in ('draft', 'scheduled') and not unfinished
      returning scheduled_at
    ), hinted as (
      insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'campaign', scheduled_at from changed
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    )
    select exists (select from changed) as changed`)
  return row?.changed ?? false
}

/** Makes a scheduled campaign a draft again; false when it is not scheduled (any more). */
export async function clearSchedule(db: Database, { workspaceId, id }: CampaignKey): Promise<boolean> {
  const changed = await db.count(sql`
    update campaign set status = 'draft', scheduled_at = null, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status = 'scheduled'`)
  return changed === 1
}

/** Archives a draft, or a sent campaign; false when it is neither. */
export async function markArchived(db: Database, { workspaceId, id }: CampaignKey): Promise<boolean> {
  const changed = await db.count(sql`
    update campaign set status = 'archived', updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status in ('draft', 'sent')`)
  return changed === 1
}
