/**
 * Which rows stay although they are older than the limit: the age of a message counts from when it was finished, and that
 * of a campaign from when it was over.
 */
import { sql, type Database } from '../connection/connect.ts'
import type { PartitionedTable } from './partitioned-tables.ts'

/** A condition on the rows `t` of a table, for statements that `plain` makes; null: no row stays. */
export function staysIf({ keeps, key }: PartitionedTable, before: Date): string | null {
  const limit = before.toISOString()
  if (keeps === undefined) return null
  switch (keeps) {
    case 'unfinished messages':
      return `exists (select from recipient r where r.workspace_id = t.workspace_id and r.message_id = t.${key}
        and (r.state <> 'settled' or coalesce(r.settled_at, r.sent_at) >= '${limit}'))`
    case 'unfinished campaigns':
      return `exists (select from campaign c where c.workspace_id = t.workspace_id and c.id = t.${key}
        and (c.completed_at is null or c.completed_at >= '${limit}'))`
  }
}

/** Whether a campaign whose identifier lies in the range is not over, or has not been for long enough. */
export function hasUnfinishedCampaigns(
  db: Database,
  { from, to, before }: { from: string; to: string; before: Date },
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from campaign_run p join campaign c on c.workspace_id = p.workspace_id and c.id = p.campaign_id
      where p.campaign_id >= ${from}::uuid and p.campaign_id < ${to}::uuid and (c.completed_at is null or c.completed_at >= ${before})) as unfinished`)
}
