/** How many requests of programs that look through mail were kept out of a campaign's figures. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import type { CampaignKey } from './campaign-claims.ts'

export async function scannerVisits(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<{ opens: number; clicks: number }> {
  const [row] = await db.rows<{ opens: number; clicks: number }>(sql`
    select count(*) filter (where kind = 'open') as opens, count(*) filter (where kind = 'click') as clicks
    from visit where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and visitor = 'scanner'`)
  return row ?? { opens: 0, clicks: 0 }
}
