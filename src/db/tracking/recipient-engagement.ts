/** Opens and clicks of a campaign's single recipients, without those of scanners. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignKey } from '../campaigns/campaign-key.ts'

/** A null `url` means opens. */
export interface RecipientEngagement {
  subscriberId: string
  url: string | null
  count: number
}

/** Of each of these recipients the first `max` opens and clicks: anybody may repeat them. */
export function recipientEngagement(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { subscriberIds, max }: { subscriberIds: string[]; max: number },
): Promise<RecipientEngagement[]> {
  return db.rows<RecipientEngagement>(sql`
    select asked.id as subscriber_id, l.url, count(*)::int as count
    from unnest(${subscriberIds}::uuid[]) as asked (id)
    cross join lateral (
      select link_position from engagement
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = asked.id
        and visitor <> 'scanner' order by subscriber_id limit ${max}
    ) e
    left join campaign_link l
      on l.workspace_id = ${workspaceId} and l.campaign_id = ${campaignId} and l.position = e.link_position
    group by asked.id, l.url order by asked.id, l.url nulls first`)
}

/** How many recipients clicked each link, among the first `max` clicks in the order of the list. */
export function uniqueClicks(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
): Promise<{ position: number; count: number }[]> {
  return db.rows<{ position: number; count: number }>(sql`
    select link_position as position, count(distinct subscriber_id)::int as count
    from (
      select link_position, subscriber_id from engagement
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and kind = 'click'
        and visitor <> 'scanner'
        and link_position is not null order by subscriber_id limit ${max}
    ) clicks group by link_position order by link_position`)
}
