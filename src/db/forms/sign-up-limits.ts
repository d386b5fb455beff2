/**
 * Rate limits on sign-ups, shared by all processes: how many an hour, by network and by workspace.
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** A statement that waited for another is a moment older, which does not begin an hour. */
const isOver = fragment`excluded.since - b.since not between interval '-1 minute' and interval '59:59.999999'`

/**
 * Counts one sign-up. False if this hour's limit is reached, and nothing was counted. The hour
 * begins with its first sign-up, or again where the clock went back since.
 */
export function takeSignUp(
  db: Database,
  workspaceId: number,
  { bucket, max }: { bucket: string; max: number },
): Promise<boolean> {
  return db.changes(sql`
    insert into sign_up_rate as b (workspace_id, bucket, since, taken)
    values (${workspaceId}, ${bucket}, facteur_now(), 1)
    on conflict (workspace_id, bucket) do update set
      since = case when ${isOver} then excluded.since else b.since end,
      taken = case when ${isOver} then 1 else b.taken + 1 end
    where b.taken < ${max} or ${isOver}`)
}
