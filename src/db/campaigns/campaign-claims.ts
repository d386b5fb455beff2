/**
 * Claims on a campaign's frozen list: which recipients come next, which process holds them, and what becomes of lost
 * holders' rows (docs/decisions/0008).
 */
import { fragment, rowList, part, sql, type Database, type Fragment } from '../connection/connect.ts'
import { suppressedText } from '../sending/failure-causes.ts'
import { addToProgress, presentRun, progressSums } from './campaign-counts.ts'
import { lateSeconds } from '../connection/late-rows.ts'
import { lostWorker, nextTryAt, applyVerdict, verdicts } from '../sending/verdicts.ts'

/** A campaign of a workspace. */
export interface CampaignKey {
  workspaceId: number
  campaignId: string
}

/** A recipient as its holder identifies it. */
export interface HeldSubscriber {
  subscriberId: string
  fence: number
}

/** One claimed recipient, with the contact's data for its mail. */
export interface ClaimedSubscriber extends HeldSubscriber {
  attempts: number
  email: string
  firstName: string | null
  lastName: string | null
  fields: Record<string, string> | null
  /** The `Date` of the mail: a repeat has the same bytes. */
  firstClaimedAt: Date
}

/** The sums of the ledger after a statement. */
export interface BatchState {
  pending: number
  handedOver: number
  /**
   * How many rows the statement passed: less than asked means the end of the list, or a batch sender that is removed
   * now.
   */
  rowsRead: number
  /** How many may be claimed until the canary is evaluated; null: no limit. */
  canaryLeft: number | null
}

/** A hand-off that a provider accepted. */
export interface SentSubscriber extends HeldSubscriber {
  response: string
}

export interface RecordAndClaim {
  sent: SentSubscriber[]
  max: number
  leaseSeconds: number
  /**
   * The batch sender to claim under (db/campaigns/batch-senders.ts). Without one, a lost holder's recipients are in
   * doubt.
   */
  batchSenderId?: string | null
  /** Types of events without a subscriber, which are not published (core/events/change-and-publish.ts). */
  unsubscribedTypes?: readonly string[]
}

/**
 * Records accepted hand-offs and claims up to `max` further recipients, in one statement and one commit. A claim
 * sets lease, attempt and fence, which says that the hand-off has started. The statement reads suppressions too, and
 * finalizes suppressed recipients instead. Null state: the campaign has no run. `done`: the recorded recipients,
 * where events are published (`unsubscribedTypes` is empty).
 */
export async function recordAndClaim(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { sent, max, leaseSeconds, batchSenderId = null, unsubscribedTypes = [] }: RecordAndClaim,
): Promise<{ state: BatchState | null; claimed: ClaimedSubscriber[]; done: string[] }> {
  const rows = await db.rows<ClaimedSubscriber & BatchState & { done: string[] | null }>(sql`
    with held as materialized (
      select claimed_to, opens_at, canary_left, facteur_now() as at from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} for update
    ), done as (
      update campaign_recipient r set state = 'settled', status = case when r.status = 'queued' then 'sent' else r.status end,
        sent_at = coalesce(r.sent_at, h.at), response = o.response, next_at = null
      from held h
      cross join ${rowList(sent, 'o', { uuid: ['subscriberId'], int: ['fence'], text: ['response'] })}
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = o.subscriber_id
        and r.fence = o.fence and r.state = 'leased'
      returning r.subscriber_id
    ), next_rows as materialized (
      -- The update skips recipients that were finalized ahead of the claim.
      select subscriber_id, email from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id > (select claimed_to from held where opens_at <= at)
      order by subscriber_id limit (select least(${max}::int, canary_left) from held)
    ), checked as materialized (
      ${checked(workspaceId, fragment`next_rows`)}
    ), claimed as (
      ${claim({ workspaceId, campaignId }, { batchSenderId, leaseSeconds })}
    ), moves as (
      select 'pending' as was_in, 'sent' as is_in, count(*)::int as recipients, count(*)::int as handed_over from done
      union all
      select 'pending', 'suppressed', count(*)::int, 0 from claimed where bar is not null
    ), moved as (
      update campaign_run p set
        claimed_to = coalesce((select subscriber_id from next_rows order by subscriber_id desc limit 1), p.claimed_to),
        canary_left = p.canary_left - (select count(*) from claimed), ${addToProgress}
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })}
      returning p.pending, p.handed_over, p.canary_left
    )
    select null as "subscriberId", null as fence, null as attempts, null as email, null as "firstName", null as "lastName",
      null as fields, null as "firstClaimedAt", pending, handed_over as "handedOver", canary_left as "canaryLeft",
      (select count(*) from next_rows) as "rowsRead",
      case when cardinality(${unsubscribedTypes}::text[]) = 0 then array(select subscriber_id from done) end as done,
      case when exists (select from done) then (select facteur_require_unsubscribed(${workspaceId}, ${unsubscribedTypes}::text[])) end as unsubscribed
    from moved
    union all
    select subscriber_id, fence, attempts, email, first_name, last_name, fields, first_claimed_at, null, null, null, null, null, null from claimed where bar is null`)
  const [state = null, ...claimed] = rows
  return { state, claimed, done: state?.done ?? [] }
}

/**
 * Claims up to `max` strays: recipients that left the order of the list and are due again. At most one of those that
 * failed a worker before is claimed at once: a crash by one hits no other of their kind.
 *
 * The look begins behind `from`, as that of single mail does (db/sending/claims.ts); null: at the first stray. `passedTo`: where the next
 * one may begin; null where the campaign may not be claimed now.
 */
export async function claimStrays(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  {
    max,
    leaseSeconds,
    batchSenderId = null,
    from = null,
  }: Pick<RecordAndClaim, 'max' | 'leaseSeconds' | 'batchSenderId'> & { from?: Date | null },
): Promise<{ claimed: ClaimedSubscriber[]; passedTo: Date | null }> {
  const rows = await db.rows<ClaimedSubscriber & { passedTo: Date | null }>(sql`
    with held as materialized (
      select opens_at, canary_left, facteur_now() as at from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} for update
    ), found as materialized (
      select subscriber_id, email, troubles, next_at from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null
        and next_at <= (select at from held where opens_at <= at) and next_at > coalesce(${from}::timestamptz, '-infinity')
        and state = 'pending'
      order by next_at limit ${max}
    ), checked as materialized (
      ${checked(workspaceId, fragment`(select *, row_number() over (partition by troubles > 0 order by next_at) as place from found)`)}
      where w.troubles = 0 or w.place = 1
    ), claimed as (
      ${claim({ workspaceId, campaignId }, { batchSenderId, leaseSeconds }, strayUntil(leaseSeconds))}
    ), moves as (
      select 'pending' as was_in, 'suppressed' as is_in, count(*)::int as recipients, 0 as handed_over from claimed where bar is not null
    ), moved as (
      update campaign_run p set ${addToProgress}
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and n.suppressed > 0
    ), passed as (
      -- Strays that were found and not claimed are due still.
      select case when n.found > (select count(*) from claimed) then n.first_at when n.found < ${max} then h.at else n.last_at end
        - ${lateSeconds} * interval '1 second' as passed_to
      from held h cross join (select count(*) as found, min(next_at) as first_at, max(next_at) as last_at from found) n
      where h.opens_at <= h.at
    )
    select subscriber_id as "subscriberId", fence, attempts, email, first_name as "firstName", last_name as "lastName", fields,
      first_claimed_at as "firstClaimedAt", null::timestamptz as "passedTo"
    from claimed where bar is null
    union all
    select null, null, null, null, null, null, null, null, passed_to from passed`)
  const passedTo = rows.at(-1)?.passedTo ?? null
  return { claimed: passedTo === null ? rows : rows.slice(0, -1), passedTo }
}

/** The subscribers of a list `w`, each with the reason that bars the mail; null: none. */
const checked = (workspaceId: number, list: Fragment): Fragment => part`
      select w.subscriber_id, w.email, s.first_name, s.last_name, s.fields,
        coalesce(x.reason, g.reason, case when s.status is distinct from 'subscribed' then coalesce(s.status, 'erased') end) as bar
      from ${list} w
      left join subscriber s on s.workspace_id = ${workspaceId} and s.id = w.subscriber_id
      left join suppression x on x.workspace_id = ${workspaceId} and x.email = w.email
      left join platform_suppression g on g.email = w.email`

/** Claims the subscribers of the list `checked`, and finalizes the barred ones. `also` sets one more column. */
const claim = (
  { workspaceId, campaignId }: CampaignKey,
  { batchSenderId, leaseSeconds }: Pick<RecordAndClaim, 'batchSenderId' | 'leaseSeconds'>,
  also = fragment``,
): Fragment => part`update campaign_recipient r set state = case when j.bar is null then 'leased' else 'settled' end,
        status = case when j.bar is null then r.status else 'suppressed' end,
        error = case when j.bar is not null then '${suppressedText}' || j.bar end,
        cause = case when j.bar is not null then 'suppressed' end,
        fence = r.fence + 1, attempts = r.attempts + case when j.bar is null then 1 else 0 end,
        first_claimed_at = coalesce(r.first_claimed_at, case when j.bar is null then h.at end),
        batch_sender_id = ${batchSenderId}, batch_sender_fence = r.fence + 1,
        leased_until = (select h.at + make_interval(secs => ${leaseSeconds}))${also}
      from held h cross join checked j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = j.subscriber_id
        and r.state = 'pending'
      returning r.subscriber_id, r.fence, r.attempts, r.first_claimed_at, j.email, j.first_name, j.last_name, j.fields, j.bar`

/** Strays stay in their index: a lost one is found there. */
const strayUntil = (leaseSeconds: number): Fragment => part`,
        next_at = case when j.bar is null then (select h.at + make_interval(secs => ${leaseSeconds})) end`

/** Renews the leases that this holder still has; answers those. */
export function renewCampaignLeases(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  held: HeldSubscriber[],
  leaseSeconds: number,
): Promise<HeldSubscriber[]> {
  return db.rows<HeldSubscriber>(sql`
    update campaign_recipient r set leased_until = facteur_now() + make_interval(secs => ${leaseSeconds}),
      next_at = case when r.next_at is not null then (select facteur_now() + make_interval(secs => ${leaseSeconds})) end
    from ${rowList(held, 'h', { uuid: ['subscriberId'], int: ['fence'] })}
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = h.subscriber_id
      and r.fence = h.fence and r.state = 'leased'
    returning r.subscriber_id as "subscriberId", r.fence`)
}

/**
 * Ends expired leases of lost holders. A recipient that its batch sender does not name as at the dot goes again,
 * since nothing has left; the second time that happens it counts as trouble. All others may have the mail: they are
 * in doubt until a user releases them, or feedback comes. At the third trouble a recipient is parked as failed. Reads
 * `max` rows of the list from the low water on, and all strays. `more`: none of them is held, and the list goes on
 * behind them. `lost`: recipients that do not go again. `failed`: parked recipients, whose `email.failed` the caller
 * publishes in the same transaction. The look for strays begins behind `from` (null: at the first), the next one at `passedTo`.
 */
export function releaseLostRecipients(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
  from: Date | null = null,
): Promise<{ lost: number; more: boolean; failed: string[]; passedTo: Date | null }> {
  return db.onlyRow<{ lost: number; more: boolean; failed: string[]; passedTo: Date | null }>(sql`
    with at as materialized (
      select low_water, claimed_to, facteur_now() as now from campaign_run p where ${presentRun({ workspaceId, campaignId })}
    ), window_rows as materialized (
      select subscriber_id, state, leased_until from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id > (select low_water from at) and subscriber_id <= (select claimed_to from at)
      order by subscriber_id limit ${max}
    ), late as materialized (
      select subscriber_id from window_rows where state = 'leased' and leased_until <= (select now from at)
      union
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null and next_at <= (select now from at)
        and next_at > coalesce(${from}::timestamptz, '-infinity') and state = 'leased'
    ), held as materialized (
      select facteur_now() as now from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} and exists (select from late) for update
    ), abandoned as materialized (
      select r.subscriber_id, r.fence, r.batch_sender_id, r.batch_sender_fence, r.status, r.troubles, h.now from held h cross join (select subscriber_id from late order by subscriber_id) l
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = l.subscriber_id
      where r.state = 'leased' and r.leased_until <= h.now
      for update of r
    ), senders as (
      -- Their holder may wake up: the first to lock this row decides whether it passes further dots.
      update batch_sender set is_closed = true
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and id = any (array(select batch_sender_id from abandoned where batch_sender_fence = fence))
      returning id, at_dot
    ), looked_at as materialized (
      -- A first lost claim is a restarted machine; a recipient whose claim is lost again may end its worker.
      select a.*, case when u.is_unsent then 'unsent' else 'lost' end as event,
        a.troubles + case when u.is_unsent and a.fence = 1 then 0 else 1 end as troubled
      from abandoned a cross join lateral (
        select a.batch_sender_fence is not distinct from a.fence
          and exists (select from senders w where w.id = a.batch_sender_id and a.subscriber_id <> all (w.at_dot)) as is_unsent) u
    ), ended as materialized (
      -- The verdict sets no later try: no life, no pauses.
      select subscriber_id, event, ${lostWorker}, status as known, troubled, now as at, null::timestamptz as life_ends,
        null::float8 as retry_first, null::float8 as retry_max, false as repeats
      from looked_at
    ), ${verdicts}, settled as (
      update campaign_recipient r set fence = r.fence + 1, ${applyVerdict}, next_at = ${nextTryAt}
      from verdicts j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = j.subscriber_id
      returning r.subscriber_id, r.state, campaign_place(r.state, r.status, r.sent_at) as is_in
    ), moves as (
      select 'pending' as was_in, is_in, count(*)::int as recipients, 0 as handed_over from settled group by is_in
    ), moved as (
      update campaign_run p set ${addToProgress},
        low_water = greatest(p.low_water, coalesce(
          -- Up to the row before the first leased one; the search skips rows in doubt from now on.
          (select subscriber_id from window_rows where subscriber_id < coalesce(
            (select subscriber_id from window_rows where state = 'leased' and subscriber_id not in (select subscriber_id from settled)
             order by subscriber_id limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by subscriber_id desc limit 1), p.low_water))
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and (n.pending < 0 or exists (select from window_rows))
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', h.now from held h where exists (select from settled where state = 'pending')
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    )
    select (select count(*) from settled where is_in <> 'pending')::int as lost, (select count(*) from window_rows) = ${max} and not exists (
        select from window_rows where state = 'leased' and subscriber_id not in (select subscriber_id from settled)) as more,
      array(select subscriber_id from settled where is_in = 'failed') as failed,
      (select now from at) - ${lateSeconds} * interval '1 second' as "passedTo"`)
}

/** Marks the start of the hand-off, once. */
export async function markHandOffBegun(tx: Database, { workspaceId, campaignId }: CampaignKey): Promise<void> {
  await tx.count(sql`
    update campaign set sent_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and sent_at is null`)
}
