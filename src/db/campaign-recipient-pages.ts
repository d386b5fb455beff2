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

/** Where to look, and for whom. */
interface Stretch {
  after: string
  looked: number
  most: number
  wanted: RecipientWanted | null
}

/** Whom it found, in the order of the list, and up to whom it looked (null: the end). */
export interface Found {
  ids: string[]
  lookedTo: string | null
}

/** Looks at up to `looked` of the list behind `after`, for the first `most` who are wanted. */
export function findRecipients(db: Database, campaign: CampaignKey, stretch: Stretch): Promise<Found> {
  // Why somebody was not sent it is always noted, and an index knows whom there is such a note of (0021).
  const isNoted = stretch.wanted === 'failed' || stretch.wanted === 'suppressed'
  return isNoted ? findNoted(db, campaign, stretch) : findAny(db, campaign, stretch)
}

async function findAny(db: Database, { workspaceId, campaignId }: CampaignKey, stretch: Stretch): Promise<Found> {
  const { after, looked, most, wanted } = stretch
  const [row] = await db.rows<Found>(sql`
    with bound as materialized (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
      order by subscriber_id offset ${looked}::int - 1 limit 1
    )
    select (select subscriber_id from bound) as "lookedTo", array(
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
        and subscriber_id <= coalesce((select subscriber_id from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and case ${wanted}::text
          when 'opened' then opened_at is not null when 'clicked' then clicked_at is not null
          when 'unsubscribed' then unsubscribed_at is not null
          when 'delivered' then status in ('delivered', 'complained')
          when 'bounced' then status = 'bounced' when 'complained' then status = 'complained'
          else coalesce(campaign_place(state, status, sent_at) = ${wanted}, true) end
      order by subscriber_id limit ${most}
    ) as ids`)
  return row ?? { ids: [], lookedTo: null }
}

async function findNoted(db: Database, { workspaceId, campaignId }: CampaignKey, stretch: Stretch): Promise<Found> {
  const { after, looked, most, wanted } = stretch
  const [row] = await db.rows<Found>(sql`
    with bound as materialized (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid and error is not null
      order by subscriber_id offset ${looked}::int - 1 limit 1
    )
    select (select subscriber_id from bound) as "lookedTo", array(
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid and error is not null
        and subscriber_id <= coalesce((select subscriber_id from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and campaign_place(state, status, sent_at) = ${wanted}
      order by subscriber_id limit ${most}
    ) as ids`)
  return row ?? { ids: [], lookedTo: null }
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
    -- One look-up by key each: a join could come to read everybody.
    left join lateral (select first_name, last_name from subscriber where workspace_id = ${workspaceId} and id = r.subscriber_id limit 1) s on true
    order by r.subscriber_id`)
}
