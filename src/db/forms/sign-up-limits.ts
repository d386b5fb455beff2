/** Rate limits on sign-ups, shared by all processes: how many an hour, by network and by workspace. */
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

/**
 * Counts one sign-up. False: this hour's limit is reached, and nothing was counted. The hour begins with its first
 * sign-up.
 */
export function takeSignUp(
  db: Database,
  workspaceId: number,
  { bucket, max }: { bucket: string; max: number },
): Promise<boolean> {
  return db.changes(sql`
    insert into sign_up_rate as b (workspace_id, bucket, since, taken) values (${workspaceId}, ${bucket}, facteur_now(), 1)
    on conflict (workspace_id, bucket) do update set
      since = case when excluded.since - b.since >= interval '1 hour' then excluded.since else b.since end,
      taken = case when excluded.since - b.since >= interval '1 hour' then 1 else b.taken + 1 end
    where b.taken < ${max} or excluded.since - b.since >= interval '1 hour'`)
}

/** Deletes counters of past hours, up to `max` rows of a workspace; answers how many. */
export function deleteOldLimits(db: Database, workspaceId: number, max: number): Promise<number> {
  return db.count(sql`
    delete from sign_up_rate where workspace_id = ${workspaceId} and bucket = any (array(
      select bucket from sign_up_rate
      where workspace_id = ${workspaceId} and since <= facteur_now() - interval '1 hour' limit ${max} for update skip locked
    ))`)
}
