/** Mails of campaigns for the log of messages: campaign by campaign, the last frozen first. */
import type { ListedRecipient } from './campaign-recipient-pages.ts'
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { storedSince } from '../retention/stored-since.ts'
import type { LogPosition } from '../messages/message-log.ts'

/** A campaign's mail in the log: the campaign's place, and in it the subscriber. */
export interface CampaignMailPosition extends LogPosition {
  subscriberId: string
}

/** A campaign whose list was frozen, with the sums of its ledger. */
export interface FrozenCampaign extends LogPosition {
  subject: string
  recipients: number
  /** Mails without a final state, those in doubt included. */
  unsettled: number
  sent: number
  /** Recipients that were still pending when it was cancelled. */
  cancelled: number
}

/** Frozen campaigns newest first, from a place on, that campaign included. */
export function frozenCampaigns(
  db: Database,
  workspaceId: number,
  page: { from: LogPosition | null; since: string | null; until: string | null; max: number },
): Promise<FrozenCampaign[]> {
  return db.rows<FrozenCampaign>(sql`
    select c.id, to_char(c.frozen_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, c.subject,
      p.recipients, p.pending + p.in_doubt as unsettled, p.sent,
      coalesce((select count from campaign_tally
                where workspace_id = ${workspaceId} and campaign_id = c.id and measure = 'cancelled'
                  and label = ''),
                  0) as cancelled
    from (
      select * from campaign
      where workspace_id = ${workspaceId} and frozen_at is not null
        and (completed_at is null
        or completed_at >= coalesce((select facteur_stored_since(${workspaceId},
        ${storedSince.deliveryDetails})),
        '-infinity'))
        and (frozen_at, id) <= (${page.from?.at ?? 'infinity'}::timestamptz,
        ${page.from?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid)
        and frozen_at >= ${page.since ?? '-infinity'}::timestamptz
        and frozen_at < ${page.until ?? 'infinity'}::timestamptz
      order by frozen_at desc, id desc limit ${page.max}
    ) c
    cross join lateral (select campaign_run.*
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = c.id
      order by moved_at desc
      limit 1) p
    order by c.frozen_at desc, c.id desc`)
}

/**
 * The mails to find in one campaign after the other; of the first campaign, only behind `before`.
 */
export interface CampaignMailPage {
  ids: string[]
  /** For each campaign: whether cancelled recipients are left out. */
  withoutCancelled: boolean[]
  before: string | null
  max: number
  status: string | null
  /** Pattern of LIKE. Null means any address. */
  address: string | null
}

/**
 * An answer of these statements: the campaign, by its index among those given, and the subscriber.
 */
export interface CampaignMailFound {
  nth: number
  subscriberId: string
}

/**
 * Reads at most `window` mails of each campaign, in the order of its list, and no further than the
 * page.
 */
export function newestCampaignMails(
  db: Database,
  workspaceId: number,
  { ids, before, max, status, address }: CampaignMailPage,
  window: number,
): Promise<CampaignMailFound[]> {
  return db.rows<CampaignMailFound>(sql`
    select c.nth::int as nth, r.subscriber_id
    from unnest(${ids}::uuid[]) with ordinality as c (id, nth)
    cross join lateral (
      select w.subscriber_id from (
        select subscriber_id, status, email from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = c.id
          and subscriber_id < case
          when c.nth = 1 then coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
          else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end
        order by subscriber_id desc limit ${window}
      ) w
      where (${status}::text is null or w.status = ${status})
        and (${address}::text is null or w.email like ${address})
      limit ${max}
    ) r
    limit ${max}`)
}

/** The last recipient of a campaign's window. Null if the window reaches its end. */
export function endOfCampaignWindow(
  db: Database,
  workspaceId: number,
  { campaignId, before, window }: { campaignId: string; before: string | null; window: number },
): Promise<string | null> {
  return db.value<string>(sql`
    select subscriber_id as id from campaign_recipient
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      and subscriber_id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by subscriber_id desc offset ${window - 1} limit 1`)
}

/** Mails that failed in this way. A failure that the ledger no longer confirms is left out. */
export function failedCampaignMails(
  db: Database,
  workspaceId: number,
  { ids, withoutCancelled, before, max, status, address }: CampaignMailPage,
): Promise<CampaignMailFound[]> {
  return db.rows<CampaignMailFound>(sql`
    select c.nth::int as nth, r.subscriber_id
    from unnest(${ids}::uuid[], ${withoutCancelled}::bool[]) with ordinality as c (id, without_cancelled, nth)
    cross join lateral (
      select m.subscriber_id from campaign_failure m
      where m.workspace_id = ${workspaceId} and m.campaign_id = c.id and m.status = ${status}
        and m.subscriber_id < case
        when c.nth = 1 then coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end
        and (select r.status = ${status}
        and not (c.without_cancelled and r.cause is not distinct from 'cancelled')
        and (${address}::text is null or r.email like ${address})
          from campaign_recipient r
             where r.workspace_id = ${workspaceId} and r.campaign_id = c.id
               and r.subscriber_id = m.subscriber_id)
      order by m.subscriber_id desc limit ${max}
    ) r
    limit ${max}`)
}

/** Mails to these subscribers. */
export function campaignMailsTo(
  db: Database,
  workspaceId: number,
  { ids, withoutCancelled, before, max, status, address }: CampaignMailPage,
  subscriberIds: string[],
): Promise<CampaignMailFound[]> {
  return db.rows<CampaignMailFound>(sql`
    select c.nth::int as nth, r.subscriber_id
    from unnest(${ids}::uuid[], ${withoutCancelled}::bool[]) with ordinality as c (id, without_cancelled, nth)
    cross join unnest(${subscriberIds.toSorted().toReversed()}::uuid[]) as s (id)
    cross join lateral (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = c.id and subscriber_id = s.id
        and subscriber_id < case
        when c.nth = 1 then coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end
        and (${status}::text is null or status = ${status})
        and not (c.without_cancelled and cause is not distinct from 'cancelled')
        and (${address}::text is null or email like ${address})
      limit 1
    ) r
    limit ${max}`)
}

/**
 * Subscribers that the index finds by the rare part of the text
 * (db/audience/subscriber-search.ts).
 */
export function subscribersNamed(
  db: Database,
  workspaceId: number,
  { grams, patterns }: { grams: number[]; patterns: string[] },
): Promise<string[]> {
  return db.column<string>(sql`
    select subscriber_id as id from subscriber_search
    where grams @> ${grams}::int[] and (workspace_id = ${workspaceId}) is true
      and haystack like any (${patterns}::text[])`)
}

/** A campaign's mail as the log answers it. */
export interface CampaignMailRow extends Omit<
  ListedRecipient,
  'firstName' | 'lastName' | 'place' | 'status'
> {
  campaignId: string
  status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed' | 'suppressed'
  state: 'pending' | 'leased' | 'in_doubt' | 'settled'
  campaignName: string
  subject: string
  fromName: string | null
  fromEmail: string | null
  frozenAt: Date
  trackOpens: boolean
  trackClicks: boolean
  /** Absent once the subscriber is erased. */
  reader: {
    email: string
    firstName: string | null
    lastName: string | null
    fields: Record<string, string>
  } | null
}

/** These mails, in no order; a campaign whose list was not frozen has none. */
export function campaignMails(
  db: Database,
  workspaceId: number,
  mails: { campaignId: string; subscriberId: string }[],
): Promise<CampaignMailRow[]> {
  return db.rows<CampaignMailRow>(sql`
    select r.campaign_id, r.subscriber_id, r.email, r.status, r.state, r.error, r.cause, r.response, r.bounce,
      r.attempts,
      r.next_at, r.sent_at, r.delivered_at, r.delivered_by, r.opened_at,
      r.clicked_at, r.unsubscribed_at, c.name as campaign_name, c.subject, c.from_name,
      c.from_email, c.frozen_at, c.track_opens, c.track_clicks,
      case when s.id is not null
        then json_build_object('email', s.email, 'firstName', s.first_name, 'lastName', s.last_name, 'fields',
          s.fields) end as reader
    from ${rowList(mails, 't', { uuid: ['campaignId', 'subscriberId'] })}
    cross join lateral (
      select *
      from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = t.campaign_id and subscriber_id = t.subscriber_id
      limit 1) r
    cross join lateral (
      select *
      from campaign
      where workspace_id = ${workspaceId} and id = t.campaign_id and frozen_at is not null
        and (completed_at is null
        or completed_at >= coalesce((select facteur_stored_since(${workspaceId},
        ${storedSince.deliveryDetails})),
        '-infinity'))
          limit 1) c
    left join lateral (select *
      from subscriber
      where workspace_id = ${workspaceId} and id = t.subscriber_id
      limit 1) s
      on true`)
}
