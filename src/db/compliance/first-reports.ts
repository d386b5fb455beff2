/**
 * When the first reports about a domain of a workspace came: complaints by mail, and Gmail's rates.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * `reporter`: the organisation that sent complaints which our own signature proves. Null means
 * Google, by its Postmaster Tools.
 */
export function firstReports(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<{ reporter: string | null; at: Date }[]> {
  return db.rows(sql`
    (select reporter, min(first_at) as at from complaint_day
      where workspace_id = ${workspaceId} and domain = ${domain} and verified > 0
      group by reporter
      order by min(first_at)
      limit 100)
    union all
    select null, first_rate_at from postmaster_domain
    where workspace_id = ${workspaceId} and domain = ${domain} and first_rate_at is not null`)
}
