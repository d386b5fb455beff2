/** How fast a campaign goes, and what could be tried again: read from the few rows about the place where its walk stands. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import type { CampaignKey } from './campaign-claims.ts'

export interface Pace {
  now: Date
  /** Hand-offs a second; null: none in the last minute. */
  perSecond: number | null
  /** When nobody would be pending; null while nothing moves. */
  endsAt: Date | null
  /** When the first of those who were put off is tried again. */
  nextTryAt: Date | null
}

/** The last so many whom the walk passed tell of a minute, or of as long as they took. */
const lookedAt = 5_000

export async function campaignPace(db: Database, { workspaceId, campaignId }: CampaignKey): Promise<Pace> {
  const [row] = await db.rows<Pace>(sql`
    with at as materialized (
      select date_trunc('milliseconds', facteur_now()) as now
    ), head as materialized (
      select walked_to, pending from campaign_progress where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
    ), last as materialized (
      select sent_at from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id <= (select walked_to from head)
      order by subscriber_id desc limit ${lookedAt}
    ), seen as (
      select count(*) / greatest(extract(epoch from (select now from at) - min(sent_at)), 0.5)::float8 as per_second
      from last where sent_at > (select now from at) - interval '1 minute' having count(*) > 0
    )
    select at.now, seen.per_second as "perSecond",
      date_trunc('milliseconds', at.now + make_interval(secs => (select pending from head) / seen.per_second)) as "endsAt",
      (select next_at from campaign_recipient
       where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null and state = 'pending'
       order by next_at limit 1) as "nextTryAt"
    from at left join seen on true`)
  if (!row) throw new Error('A statement over one row answered none')
  return row
}

/** Of the failed: how many can be tried again, counted up to `most`. Those who were cancelled or refused for good cannot. */
export async function countRetryable(db: Database, { workspaceId, campaignId }: CampaignKey, most: number): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*) as count from (
      select 1 from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and state = 'settled' and status = 'failed'
        and sent_at is null and error is not null and error <> 'cancelled'
      limit ${most}
    ) failed`)
  return row?.count ?? 0
}
