/** How many campaigns of a list have each status. */
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { passes, type CampaignFilter } from './campaign-list.ts'

/** Each status is counted by its index, up to `max`. */
export function campaignsByStatus(
  db: Database,
  workspaceId: number,
  {
    statuses,
    max,
    ...filter
  }: CampaignFilter & { statuses: readonly CampaignStatus[]; max: number },
): Promise<{ status: CampaignStatus; count: number }[]> {
  return db.rows<{ status: CampaignStatus; count: number }>(sql`
    select s.status, c.count
    from unnest(${[...statuses]}::text[]) s (status)
    cross join lateral (
      select count(*)::int8 as count
      from (
        select 1 from campaign
        where workspace_id = ${workspaceId} and status = s.status and ${passes(filter)}
        limit ${max}) counted) c`)
}
