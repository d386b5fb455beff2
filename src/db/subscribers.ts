/** Subscribers, as far as single messages are concerned: how many a campaign would reach. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** How many a campaign would reach: subscribed, and not suppressed by the workspace or the platform. */
export async function countReachable(db: Database, workspaceId: number): Promise<number> {
  const [row] = await db.rows<{ reachable: number }>(sql`
    select count(*) as reachable from subscriber s
    where s.workspace_id = ${workspaceId} and s.status = 'subscribed'
      and not exists (select from suppression x where x.workspace_id = ${workspaceId} and x.email = s.email)
      and not exists (select from platform_suppression x where x.email = s.email)`)
  return row?.reachable ?? 0
}
