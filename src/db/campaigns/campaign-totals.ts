/** How many campaigns of a list have each status. */
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { part } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { hasCampaignText } from './campaigns.ts'

/** Each status is counted by its index, up to `max`; `text` is empty where all are counted. */
export function campaignsByStatus(
  db: Database,
  workspaceId: number,
  { statuses, text, max }: { statuses: readonly CampaignStatus[]; text: string; max: number },
): Promise<{ status: CampaignStatus; count: number }[]> {
  const matching = text === '' ? part`` : part` and ${hasCampaignText(text)}`
  return db.rows<{ status: CampaignStatus; count: number }>(sql`
    select s.status, c.count
    from unnest(${[...statuses]}::text[]) s (status)
    cross join lateral (
      select count(*)::int8 as count
      from (
        select 1 from campaign
        where workspace_id = ${workspaceId} and status = s.status${matching}
        limit ${max}) counted) c`)
}
