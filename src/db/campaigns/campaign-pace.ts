/**
 * Measures how fast a campaign goes, and counts the recipients to try again, from the few rows
 * around the position of its run.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import type { CampaignKey } from './campaign-key.ts'

export interface CampaignPace {
  now: Date
  /** Hand-offs a second. Null means none in the last minute. */
  perSecond: number | null
  /** When the last pending recipient would leave; null while nothing leaves. */
  endsAt: Date | null
  /** When the first postponed recipient is tried again. */
  nextTryAt: Date | null
}

/**
 * The pace is measured on the last recipients that the run passed: those of a minute, or at most
 * this many.
 */
const scannedAt = 5_000

/** `isMoving`: mails leave now; the pace of others is not measured. */
export function campaignPace(
  db: Database,
  { workspaceId, campaignId, isMoving }: CampaignKey & { isMoving: boolean },
): Promise<CampaignPace> {
  return db.onlyRow<CampaignPace>(sql`
    with at as materialized (
      select date_trunc('milliseconds', facteur_now()) as now
    ), head as materialized (
      select claimed_to, pending
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      order by moved_at desc
      limit 1
    ), last as materialized (
      select sent_at from campaign_recipient
      where ${isMoving} and workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id <= (select claimed_to from head)
      order by subscriber_id desc limit ${scannedAt}
    ), seen as (
      select count(*) / greatest(extract(epoch from (select now from at) - min(sent_at)),
        0.5)::float8 as per_second
      from last where sent_at > (select now from at) - interval '1 minute' having count(*) > 0
    )
    select at.now, seen.per_second,
      date_trunc('milliseconds',
        at.now + make_interval(secs => (select pending from head) / seen.per_second)) as ends_at,
      (select next_at from campaign_recipient
       where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null
         and state = 'pending'
       order by next_at limit 1) as next_try_at
    from at left join seen on true`)
}

/**
 * Of the first `max` failed recipients: how many can be tried again, and whether more failed.
 * Cancelled ones and those refused for good cannot.
 */
export function countRetryable(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
): Promise<Retryable> {
  return db.onlyRow<Retryable>(sql`
    select count(*) filter (where m.place <= ${max} and r.state = 'settled' and r.status = 'failed'
      and r.sent_at is null
        and r.cause <> 'cancelled') as count,
      count(*) > ${max} as more
    from (
      select subscriber_id, row_number() over (order by subscriber_id) as place from (
        select subscriber_id from campaign_failure
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and status = 'failed'
        order by subscriber_id limit ${max} + 1
      ) failed
    ) m
    join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
      and r.subscriber_id = m.subscriber_id`)
}

export interface Retryable {
  count: number
  more: boolean
}
