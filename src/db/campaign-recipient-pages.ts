/** The frozen list as its pages show it: looked through in the order of its key, a bounded stretch at a time, or by who they are. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import type { CampaignKey } from './campaign-claims.ts'
import type { RecipientWanted } from '../contract/workspace/campaign-recipients.ts'
import type { BounceClass } from '../contract/emails.ts'

export interface ListedRecipient {
  subscriberId: string
  email: string
  /** Of the person now; null: none, or erased. */
  firstName: string | null
  lastName: string | null
  /** In which of the five of progress it is counted. */
  place: 'pending' | 'sent' | 'failed' | 'suppressed' | 'in_doubt'
  status: string
  error: string | null
  /** What the provider said last. */
  response: string | null
  bounce: BounceClass | null
  attempts: number
  /** Of those who are put off: when they are tried again. */
  nextAt: Date | null
  sentAt: Date | null
  deliveredAt: Date | null
  deliveredBy: string | null
  openedAt: Date | null
  clickedAt: Date | null
  unsubscribedAt: Date | null
}

/**
 * Looks at up to `looked` of the list behind `after`; answers the first `most` of them that are wanted, and up to whom it looked
 * (null: the end of the list).
 */
export async function recipientStretch(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { after, looked, most, wanted }: { after: string; looked: number; most: number; wanted: RecipientWanted | null },
): Promise<{ found: ListedRecipient[]; lookedTo: string | null }> {
  const rows = await db.rows<ListedRecipient & { lookedTo: string | null; full: boolean }>(sql`
    with span as materialized (
      select subscriber_id, email, state, status, error, response, bounce, attempts, next_at, sent_at, delivered_at, delivered_by,
        opened_at, clicked_at, unsubscribed_at, campaign_place(state, status, sent_at) as place
      from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
      order by subscriber_id limit ${looked}
    ), found as materialized (
      select * from span
      where case ${wanted}::text
        when 'opened' then opened_at is not null when 'clicked' then clicked_at is not null
        when 'unsubscribed' then unsubscribed_at is not null
        when 'delivered' then status in ('delivered', 'complained')
        when 'bounced' then status = 'bounced' when 'complained' then status = 'complained'
        else coalesce(place = ${wanted}, true) end
      order by subscriber_id limit ${most}
    ), ends as (
      select case when (select count(*) from span) = ${looked} then (select subscriber_id from span order by subscriber_id desc limit 1) end as to_whom
    )
    select f.subscriber_id as "subscriberId", f.email, s.first_name as "firstName", s.last_name as "lastName", f.place, f.status, f.error,
      f.response, f.bounce, f.attempts, case when f.state = 'pending' then f.next_at end as "nextAt", f.sent_at as "sentAt",
      f.delivered_at as "deliveredAt", f.delivered_by as "deliveredBy", f.opened_at as "openedAt", f.clicked_at as "clickedAt",
      f.unsubscribed_at as "unsubscribedAt", e.to_whom as "lookedTo"
    from ends e
    left join found f on true
    left join lateral (select first_name, last_name from subscriber where workspace_id = ${workspaceId} and id = f.subscriber_id) s on true
    order by f.subscriber_id`)
  return {
    found: rows.filter(({ subscriberId }) => subscriberId !== null),
    lookedTo: rows[0]?.lookedTo ?? null,
  }
}

/** Those of these people who are on the list, in its order. */
export function recipientsAmong(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  subscriberIds: string[],
): Promise<ListedRecipient[]> {
  return db.rows<ListedRecipient>(sql`
    select r.subscriber_id as "subscriberId", r.email, s.first_name as "firstName", s.last_name as "lastName",
      campaign_place(r.state, r.status, r.sent_at) as place, r.status, r.error, r.response, r.bounce, r.attempts,
      case when r.state = 'pending' then r.next_at end as "nextAt", r.sent_at as "sentAt", r.delivered_at as "deliveredAt",
      r.delivered_by as "deliveredBy", r.opened_at as "openedAt", r.clicked_at as "clickedAt", r.unsubscribed_at as "unsubscribedAt"
    from unnest(${subscriberIds}::uuid[]) as asked (id)
    cross join lateral (
      select * from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = asked.id limit 1
    ) r
    left join lateral (select first_name, last_name from subscriber where workspace_id = ${workspaceId} and id = r.subscriber_id) s on true
    order by r.subscriber_id`)
}
