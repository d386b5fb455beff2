/** Opens and clicks of campaigns: one statement stores each event and counts it (semantics 5). */
import {
  addToProgress,
  addToTally,
  countsSources,
  presentRunOfN,
  progressSums,
} from '../campaigns/campaign-counts.ts'
import { fragment, rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { rowsUnlessSubscribed, subscriptionCheck } from '../webhooks/subscription-check.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { addToDates } from '../audience/engagement-dates.ts'
import { erasedAddress } from '../audience/erasures.ts'
import { burstRules } from './click-bursts.ts'

/** One open or click of a campaign's recipient, already classified. */
export interface CampaignEngagement {
  id: string
  campaignId: string
  subscriberId: string
  kind: 'open' | 'click'
  /** Which link, by its position in the campaign; null for an open. */
  link: number | null
  visitor: 'person' | 'relay' | 'scanner'
  device: string
  os: string
  client: string
  userAgent: string
  address: string
}

/** The columns of a list of events. */
export const engagementColumns = {
  int: ['link'],
  text: ['kind', 'visitor', 'device', 'os', 'client', 'userAgent', 'address'],
} as const

/**
 * The bar of the results that counts an event: an hour of the first day, a day of the first week,
 * or later, from its window of six hours.
 */
const barOf = fragment`
        case when coalesce(window_of, 0) < 4
            then 'h' || greatest(0, floor(coalesce(window_of, 0) * 6))::int::text
          when window_of < 28 then 'd' || floor(window_of / 4)::int::text else 'later' end`

/** The result of one event, in the order of those given. */
export interface StoredEngagement {
  /** The link's target, with filled merge tags. Null means an open, or there is no such link. */
  url: string | null
  /**
   * Seconds since the recipient's mail was handed over. Null if it was not, and nothing was stored.
   */
  age: number | null
  /** The counters that it changed: the recipient's first open, a click, the proof of delivery. */
  isFirstOpen: boolean
  isCountedClick: boolean
  arrives: boolean
  at: Date
}

/**
 * Stores the events and counts them, all or nothing: unique opens and clicks on the recipient's
 * row, the delivery, and the tallies (the view `campaign_engagement_count` defines them). An event
 * of a recipient whose hand-off never started is not stored, and one of a bounced recipient changes
 * no counter (db/feedback/campaign-feedback.ts). `unsubscribedTypes`: types of events without a
 * subscriber (core/events/change-and-publish.ts).
 *
 * It locks in the order of all counting statements (docs/decisions/0010): progress where a
 * recipient is not final, recipients by key, tallies by key. Each list carries its columns along:
 * two lists are never compared.
 */
export function recordCampaignEngagement(
  db: Database,
  workspaceId: number,
  engagements: CampaignEngagement[],
  unsubscribedTypes: readonly string[],
): Promise<StoredEngagement[]> {
  // 1. subscribed: whether a webhook asks for what is not published here. Then nothing is written.
  // 2. requests: the events, in the caller's order.
  // 3. unfinished, runs: the campaigns with a recipient who is not final, their runs locked first.
  // 4. locked: the events with their recipients, locked by key; `counts` leaves scanners out.
  // 5. observed: which event is the first open, and which the first click of its recipient.
  // 6. stored: the events themselves.
  // 7. proven: one line for each recipient who counts.
  // 8. changed: the ledger: an open or a click proves the delivery.
  // 9. moves, moved: the sums of the runs.
  // 10. dated: the contact's last open and click.
  // 11. counted, steps, tallied: the counters of the campaigns.
  return rowsUnlessSubscribed<StoredEngagement>(
    db,
    'at',
    sql`
    with ${subscriptionCheck(workspaceId, unsubscribedTypes)}, requests as materialized (
      select *
      from ${rowList(
        engagements,
        't',
        { ...engagementColumns, uuid: ['id', 'campaignId', 'subscriberId'] },
        'place',
      )}
      where not (select is_subscribed from subscribed)
    ), unfinished as materialized (
      select distinct v.campaign_id
      from requests v
      cross join lateral (
        select state, status
        from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = v.campaign_id
          and subscriber_id = v.subscriber_id) r
      where v.visitor <> 'scanner' and (r.state <> 'settled' or r.status in ('failed', 'suppressed'))
    ), runs as materialized (
      select p.campaign_id
      from (select campaign_id from unfinished order by 1) l
      cross join lateral (
        select campaign_id
        from campaign_run ${fromNewestEnd}
        where workspace_id = ${workspaceId} and campaign_id = l.campaign_id
        order by moved_at desc
        limit 1
        for update) p
    ), locked as materialized (
      select v.*, r.*, v.visitor <> 'scanner' and r.state is not null and r.status <> 'bounced' as counts,
        row_number() over (partition by v.campaign_id, v.subscriber_id,
          v.visitor <> 'scanner' order by v.place) as nth,
        row_number() over (partition by v.campaign_id, v.subscriber_id, v.visitor <> 'scanner',
          v.kind order by v.place) as nth_of_kind
      from (
        select v.*
        from (select count(*) from runs) after_runs
        cross join requests v
        order by v.campaign_id, v.subscriber_id, v.place
      ) v
      left join lateral (
        select email, state, status, attempts, sent_at, opened_at, clicked_at, delivered_by
        from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = v.campaign_id
          and subscriber_id = v.subscriber_id and attempts > 0
        for update
      ) r on true
    ), observed as materialized (
      -- A statement that waited for the locks began before the engagement that it waited for: the
      -- first one that counted stays the first.
      select h.*, h.counts and h.nth = 1 and h.opened_at is null as first_open,
        h.counts and h.kind = 'click' and h.nth_of_kind = 1 and h.clicked_at is null as first_click, t.at,
        (select extract(epoch from t.at - c.sent_at) / 21600
          from campaign c
          where c.workspace_id = ${workspaceId} and c.id = h.campaign_id) as window_of
      from locked h
      cross join lateral (select greatest(facteur_now(), h.opened_at, h.clicked_at) as at) t
    ), stored as (
      insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, link_position, visitor,
        device, os, client, user_agent, ip, at)
      select ${workspaceId}, id, campaign_id, subscriber_id, kind, link, visitor, device, os, client,
        -- An erased contact counts, without details.
        case when email <> ${erasedAddress} then user_agent else '' end,
        case when email <> ${erasedAddress} then address end, at
      from observed where state is not null
    ), proven as materialized (
      -- One line for each recipient who counts: what is known now.
      select campaign_id, subscriber_id, max(at) as at, bool_or(first_open) as first_open,
        bool_or(first_click) as first_click,
        bool_or(status in ('queued', 'sent', 'failed', 'suppressed')) as arrives,
        -- A delivery that was assumed is known from now on.
        bool_or(first_open and status in ('delivered', 'complained')
          and delivered_by = 'silence') as was_assumed,
        bool_or(kind = 'click') as clicked, min(campaign_place(state, status, sent_at)) as was_in
      from observed where counts group by campaign_id, subscriber_id
    ), changed as (
      update campaign_recipient r set
        opened_at = case when p.first_open then p.at else r.opened_at end,
        clicked_at = case when p.first_click then p.at else r.clicked_at end,
        -- A mail that was read has arrived (semantics 2): doubt and further tries end, unless a holder
        -- still waits for its answer.
        status = case when p.arrives then 'delivered' else r.status end,
        error = case when p.arrives then null else r.error end,
        cause = case when p.arrives then null else r.cause end,
        delivered_at = case when p.arrives then p.at else r.delivered_at end,
        delivered_by = case when p.arrives
          or p.was_assumed then case when p.clicked then 'click' else 'open' end else r.delivered_by end,
        sent_at = case when p.arrives then coalesce(r.sent_at, p.at) else r.sent_at end,
        state = case when p.arrives and r.state <> 'leased' then 'settled' else r.state end,
        next_at = case when p.arrives and r.state <> 'leased' then null else r.next_at end
      from proven p
      where r.workspace_id = ${workspaceId} and r.campaign_id = p.campaign_id
        and r.subscriber_id = p.subscriber_id
        and (p.first_open or p.first_click or p.arrives)
      returning r.campaign_id, p.was_in, campaign_place(r.state, r.status, r.sent_at) as is_in
    ), moves as (
      select campaign_id, was_in, is_in, 1 as recipients, 0 as handed_over from changed where was_in <> is_in
    ), moved as (
      update campaign_run p set ${addToProgress}
      from (select campaign_id, ${progressSums}
        from moves
        group by campaign_id
        order by campaign_id) n ${presentRunOfN(workspaceId)}
      where p.workspace_id = ${workspaceId} and p.campaign_id = n.campaign_id
        and p.moved_at >= present.moved_at
    ), dated as (
      -- Those of a mail's first seconds, which may be a scanner's, are stored when the campaign is
      -- complete (core/campaigns/store-engagement-dates.ts).
      insert into subscriber_engagement (workspace_id, subscriber_id, opened_at, opened_directly_at,
        clicked_at)
      select ${workspaceId}, subscriber_id, max(at), max(at) filter (where visitor = 'person'),
        max(at) filter (where kind = 'click')
      from observed
      where state is not null and visitor <> 'scanner' and email <> ${erasedAddress}
        and at > sent_at + make_interval(secs => ${burstRules.seconds})
      group by subscriber_id order by subscriber_id
      ${addToDates}
    ), counted as (
      select campaign_id, measure, label from observed
      cross join lateral (select ${barOf}) b (bar)
      cross join lateral (values
        ('opened', '', first_open), ('relayed', '', first_open and visitor = 'relay'),
        ('opened_in', floor(window_of)::int::text, first_open and window_of >= 0 and window_of < 8),
        ('opened_at', bar, first_open), ('clicked_at', bar, first_click),
        ('device', device, first_open), ('os', os, first_open), ('client', client, first_open),
        ('clicked', '', first_click),
        ('clicked_in', floor(window_of)::int::text, first_click and window_of >= 0 and window_of < 8),
        ('link', link::text, counts and kind = 'click')
      ) t (measure, label, applies)
      where applies
      union all
      select campaign_id, 'delivered', '' from proven where arrives
    ), steps as (
      select campaign_id, measure, label, 1 as step from counted
      union all
      select m.campaign_id, s.measure, '', s.step
      from (select ${workspaceId}::bigint as workspace_id, campaign_id, arrives, was_assumed from proven) m
      cross join lateral (values ('assumed', -m.was_assumed::int),
        ('engaged', (m.arrives or m.was_assumed)::int)) s (measure, step)
      where s.step <> 0 and ${countsSources}
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, campaign_id, measure, label, sum(step) from steps
      group by campaign_id, measure, label order by campaign_id, measure, label
      ${addToTally}
    )
    select l.url,
      case
        when s.state is not null then extract(epoch from s.at - coalesce(s.sent_at, s.at))::float8 end as age,
      coalesce(s.first_open, false) as is_first_open, s.counts and s.kind = 'click' as is_counted_click,
      coalesce(s.counts and s.nth = 1 and s.status in ('queued', 'sent', 'failed', 'suppressed'), false)
        as arrives,
      s.at, is_subscribed
    from subscribed left join observed s on true
    left join lateral (select url from campaign_link
      where workspace_id = ${workspaceId} and campaign_id = s.campaign_id and position = s.link) l on true
    order by s.place`,
  )
}
