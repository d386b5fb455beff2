/**
 * Counts the requests of mail scanners that a campaign's statistics leave out, from an index and up
 * to a limit.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { storedSince } from '../retention/stored-since.ts'
import type { CampaignKey } from '../campaigns/campaign-key.ts'

export function scannerRequests(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
): Promise<{ opens: number; clicks: number }> {
  return db.onlyRow<{ opens: number; clicks: number }>(sql`
    select (select count(*) from (
        select 1
        from engagement
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and visitor = 'scanner'
          and kind = 'open'
          and at >= coalesce((select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})),
          '-infinity')
        limit ${max}) v) as opens,
      (select count(*) from (
        select 1
        from engagement
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and visitor = 'scanner'
          and kind = 'click'
          and at >= coalesce((select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})),
          '-infinity')
        limit ${max}) v) as clicks`)
}
