/**
 * Changes of a campaign outside its run, by users: schedule, unschedule, archive, delete, annotate.
 * A change of state names the states that it leaves (docs/states.md).
 */
import type { StoredCampaign } from '../../contract/campaign-fields.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { annotationColumns, annotationRecord } from './campaign-columns.ts'

interface CampaignKey {
  workspaceId: number
  id: string
}

/**
 * Sets when a finished draft, or one that is scheduled, is sent. False when it is neither. `at` is
 * RFC 3339.
 */
export function setSchedule(
  db: Database,
  { workspaceId, id }: CampaignKey,
  at: string,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    with changed as (
      update campaign set status = 'scheduled', scheduled_at = ${at}, notice = null,
        updated_at = date_trunc('milliseconds', facteur_now())
      where workspace_id = ${workspaceId} and id = ${id} and status in ('draft', 'scheduled')
        and not unfinished
      returning scheduled_at
    ), hinted as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', scheduled_at
      from changed
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select exists (select from changed) as changed`)
}

/** Makes a scheduled campaign a draft again; false when it is not scheduled (any more). */
export function clearSchedule(db: Database, { workspaceId, id }: CampaignKey): Promise<boolean> {
  return db.changes(sql`
    update campaign
    set status = 'draft', scheduled_at = null, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status = 'scheduled'`)
}

/** Archives a draft, or a sent campaign; false when it is neither. */
export function markArchived(db: Database, { workspaceId, id }: CampaignKey): Promise<boolean> {
  return db.changes(sql`
    update campaign set status = 'archived', updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status in ('draft', 'sent')`)
}

/**
 * Deletes a draft; false when it is none. Nothing of it left, so no other row depends on it: an
 * undone send has deleted its list.
 */
export function deleteUnsent(db: Database, { workspaceId, id }: CampaignKey): Promise<boolean> {
  return db.changes(sql`
    delete from campaign
    where workspace_id = ${workspaceId} and id = ${id} and status = 'draft' and sent_at is null`)
}

/**
 * Writes annotations; the absent ones stay. Neither the draft's version nor the campaign's time
 * changes: the mail is the same.
 */
export async function writeAnnotations(
  db: Database,
  { workspaceId, id }: CampaignKey,
  values: Partial<StoredCampaign>,
): Promise<void> {
  await db.count(sql`
    update campaign c
    set (${annotationColumns}) = (select ${annotationColumns}
      from json_populate_record(c, ${annotationRecord(values)}::json))
    where workspace_id = ${workspaceId} and id = ${id}`)
}
