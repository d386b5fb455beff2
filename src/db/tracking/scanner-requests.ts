/** How many requests of programs that look through mail were kept out of a campaign's figures: counted in an index, as far as is asked. */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'
import type { CampaignKey } from '../campaigns/campaign-claims.ts'

export async function scannerRequests(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  most: number,
): Promise<{ opens: number; clicks: number }> {
  const [row] = await db.rows<{ opens: number; clicks: number }>(sql`
    select (select count(*) from (
        select 1 from visit where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and visitor = 'scanner' and kind = 'open'
        limit ${most}) v) as opens,
      (select count(*) from (
        select 1 from visit where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and visitor = 'scanner' and kind = 'click'
        limit ${most}) v) as clicks`)
  return row ?? { opens: 0, clicks: 0 }
}
