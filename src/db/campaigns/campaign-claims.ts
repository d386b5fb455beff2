/**
 * Claims on a campaign's frozen list: which recipients come next, and which process holds them
 * (docs/decisions/0008).
 */
import { fragment, rowShape, part, type Fragment } from '../../database/client/fragment.ts'
import { subscriptionCheck, WebhookSubscribes } from '../webhooks/subscription-check.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { suppressedText } from '../sending/failure-causes.ts'
import { addToProgress, presentRun, progressSums } from './campaign-counts.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import type { CampaignKey } from './campaign-key.ts'
import type { LeasedSubscriber } from './campaign-leases.ts'

/** One claimed recipient, with the contact's data for its mail. */
export interface ClaimedSubscriber extends LeasedSubscriber {
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
   * How many rows the statement passed: less than asked means the end of the list, or a batch
   * sender that is removed now.
   */
  rowsRead: number
  /** How many may be claimed until the canary is evaluated. Null means no limit. */
  canaryLeft: number | null
}

/** A hand-off that a provider accepted. */
export interface SentSubscriber extends LeasedSubscriber {
  response: string
}

export interface RecordAndClaim {
  sent: SentSubscriber[]
  max: number
  leaseSeconds: number
  /**
   * The batch sender to claim under (db/campaigns/batch-senders.ts). Without one, a lost holder's
   * recipients are in doubt.
   */
  batchSenderId?: string | null
  /**
   * Types of events without a subscriber, which are not published
   * (core/events/change-and-publish.ts).
   */
  unsubscribedTypes?: readonly string[]
}

type ClaimedRecipient = ClaimedSubscriber & { kind: 'recipient' }

type RecordedRun = BatchState & { kind: 'run'; done: string[] | null }

const sentList = rowShape<SentSubscriber>('o', {
  uuid: ['subscriberId'],
  int: ['fence'],
  text: ['response'],
})

/**
 * Records accepted hand-offs and claims up to `max` further recipients, in one statement and one
 * commit. A claim sets lease, attempt and fence, which says that the hand-off has started. The
 * statement reads suppressions too, and finalizes suppressed recipients instead. Null state: the
 * campaign has no run. `done`: the recorded recipients, where events are published
 * (`unsubscribedTypes` is empty).
 *
 * The statement keeps twelve things true. The test that holds each stands behind it.
 *
 * 1. The run's row is locked before its recipients, so that claims of one campaign follow each other
 *    (claims-and-lost-leases: "a claim does not pass over a window that another holds").
 * 2. Only the holder of the lease writes an outcome: its fence is the row's
 *    (claims-and-lost-leases: "its holder writes nothing any more").
 * 3. A status that feedback has set meanwhile stays; only `queued` becomes `sent`
 *    (claims-and-lost-leases: "feedback that overtakes the outcome stays").
 * 4. The list is read in its order, and `claimed_to` passes all rows that were read, so that each
 *    recipient is claimed once (sent-once-to-the-frozen-list: "every frozen recipient receives one
 *    mail").
 * 5. Nothing is claimed before `opens_at`: the campaign is paused, or may still be undone
 *    (guards-of-campaign-statements: "paused: no recipient is claimed", "no recipient is claimed
 *    before the window is over").
 * 6. No more than `canary_left` are claimed (what-stops-and-starts-a-campaign: "a canary").
 * 7. A recipient who is suppressed, unsubscribed or erased by now, or left the campaign's topic, is
 *    completed with the reason, and not claimed (claims-and-lost-leases: "a recipient whom a claim
 *    finds suppressed"; topics-leave-out-who-left: "who leaves the topic after the freeze").
 * 8. Lease, fence and attempt are committed before the hand-off, so that a lost one is never taken
 *    for unsent (only-begun-dots-are-in-doubt: "past it: in doubt").
 * 9. A claim names its batch sender together with its fence: it proves nothing of a later claim
 *    (only-begun-dots-are-in-doubt: "a batch sender proves nothing of a later claim").
 * 10. `first_claimed_at` is set once, so that a repeat has the same bytes (mail-in-doubt: "has the
 *     same bytes as before, its Date included").
 * 11. The run's sums change with the rows that they count (counters-follow-every-transition:
 *     "counters equal a recount").
 * 12. Where a webhook asks for an event that is not published here, nothing is written
 *     (changes-without-events: "an accepted batch, with the claim of the next one").
 */
export async function recordAndClaim(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { sent, max, leaseSeconds, batchSenderId = null, unsubscribedTypes = [] }: RecordAndClaim,
): Promise<{ state: BatchState | null; claimed: ClaimedSubscriber[]; done: string[] }> {
  const rows = await db.rows<RecordedRun | ClaimedRecipient | { kind: 'subscribed' }>(sql`
    with ${subscriptionCheck(workspaceId, unsubscribedTypes)}, run as materialized (
      select claimed_to, opens_at, canary_left, facteur_now() as at from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} and not (select is_subscribed from subscribed)
      for update
    ), done as (
      update campaign_recipient r
      set state = 'settled', status = case when r.status = 'queued' then 'sent' else r.status end,
        sent_at = coalesce(r.sent_at, run.at), response = o.response, next_at = null
      from run
      cross join ${sentList(sent)}
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = o.subscriber_id
        and r.fence = o.fence and r.state = 'leased'
      returning r.subscriber_id
    ), next_rows as materialized (
      -- The update skips recipients that were finalized ahead of the claim.
      select subscriber_id, email from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id > (select claimed_to from run where opens_at <= at)
      order by subscriber_id limit (select least(${max}::int, canary_left) from run)
    ), ${topicOf({ workspaceId, campaignId })}, checked as materialized (
      ${checked(workspaceId, fragment`next_rows`)}
    ), claimed as (
      ${claimChecked({ workspaceId, campaignId }, { batchSenderId, leaseSeconds })}
    ), ${leaversCounted({ workspaceId, campaignId })}, moves as (
      select 'pending' as was_in, 'sent' as is_in, count(*)::int as recipients, count(*)::int as handed_over
      from done
      union all
      select 'pending', 'suppressed', count(*)::int, 0 from claimed where suppressed_for is not null
    ), moved as (
      update campaign_run p set
        claimed_to = coalesce((select subscriber_id from next_rows order by subscriber_id desc limit 1),
          p.claimed_to),
        canary_left = p.canary_left - (select count(*) from claimed), ${addToProgress}
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and not (select is_subscribed from subscribed)
      returning p.pending, p.handed_over, p.canary_left
    )
    select 'run' as kind, null as subscriber_id, null as fence, null as attempts, null as email,
      null as first_name, null as last_name, null as fields, null as first_claimed_at,
      pending, handed_over, canary_left,
      (select count(*) from next_rows) as rows_read,
      case
        when cardinality(${unsubscribedTypes}::text[]) = 0
        then array(select subscriber_id from done) end as done
    from moved
    union all
    select 'recipient', subscriber_id, fence, attempts, email, first_name, last_name, fields,
      first_claimed_at, null, null, null, null, null
    from claimed
    where suppressed_for is null
    union all
    select 'subscribed', null, null, null, null, null, null, null, null, null, null, null, null, null
    from subscribed
    where is_subscribed`)
  if (rows.some(({ kind }) => kind === 'subscribed')) throw new WebhookSubscribes()
  const state = rows.find((row) => row.kind === 'run') ?? null
  const claimed = rows.filter((row) => row.kind === 'recipient')
  return { state, claimed, done: state?.done ?? [] }
}

/**
 * Claims up to `max` strays: recipients that left the order of the list and are due again. At most
 * one of those that failed a worker before is claimed at once: a crash by one hits no other of
 * their kind.
 *
 * The look begins behind `from`, as that of single mail does (db/sending/claims.ts). Null means at
 * the first stray. `passedTo`: where the next one may begin; null where the campaign may not be
 * claimed now.
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
  const rows = await db.rows<ClaimedRecipient | { kind: 'passed'; passedTo: Date }>(sql`
    with run as materialized (
      select opens_at, canary_left, facteur_now() as at from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} for update
    ), matching as materialized (
      select subscriber_id, email, troubles, next_at from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null
        and next_at <= (select at from run where opens_at <= at)
        and next_at > coalesce(${from}::timestamptz, '-infinity')
        and state = 'pending'
      order by next_at limit ${max}
    ), ${topicOf({ workspaceId, campaignId })}, checked as materialized (
      ${checked(
        workspaceId,
        fragment`(
          select *, row_number() over (partition by troubles > 0 order by next_at) as place
          from matching
        )`,
      )}
      where w.troubles = 0 or w.place = 1
    ), claimed as (
      ${claimChecked(
        { workspaceId, campaignId },
        { batchSenderId, leaseSeconds },
        unclaimedUntil(leaseSeconds),
      )}
    ), ${leaversCounted({ workspaceId, campaignId })}, moves as (
      select 'pending' as was_in, 'suppressed' as is_in, count(*)::int as recipients, 0 as handed_over
      from claimed
      where suppressed_for is not null
    ), moved as (
      update campaign_run p set ${addToProgress}
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and n.suppressed > 0
    ), passed as (
      -- Strays that were found and not claimed are due still.
      select case when n.found > (select count(*) from claimed) then n.first_at
        when n.found < ${max} then run.at else n.last_at end
        - ${lateSeconds} * interval '1 second' as passed_to
      from run
      cross join (
        select count(*) as found, min(next_at) as first_at, max(next_at) as last_at
        from matching) n
      where run.opens_at <= run.at
    )
    select 'recipient' as kind, subscriber_id, fence, attempts, email, first_name, last_name, fields,
      first_claimed_at, null::timestamptz as passed_to
    from claimed where suppressed_for is null
    union all
    select 'passed', null, null, null, null, null, null, null, null, passed_to
    from passed`)
  return {
    claimed: rows.filter((row) => row.kind === 'recipient'),
    passedTo: rows.find((row) => row.kind === 'passed')?.passedTo ?? null,
  }
}

/** The campaign's topic; no row means none, or that it is gone since. */
const topicOf = ({
  workspaceId,
  campaignId,
}: CampaignKey): Fragment => part`topic_of_run as materialized (
      select t.id, t.by_default
      from campaign c
      join topic t on t.workspace_id = ${workspaceId} and t.id = c.topic_id
      where c.workspace_id = ${workspaceId} and c.id = ${campaignId}
    )`

/** Adds those whom a claim finds to have left the topic to those whom the freeze left out. */
const leaversCounted = ({
  workspaceId,
  campaignId,
}: CampaignKey): Fragment => part`leavers_counted as (
      update campaign c set topic_left = coalesce(c.topic_left, 0) + n.leavers
      from (select count(*) as leavers from claimed where suppressed_for = 'topic') n
      where c.workspace_id = ${workspaceId} and c.id = ${campaignId} and n.leavers > 0
    )`

/**
 * The subscribers of a list `w`, each with the reason that it is suppressed for. Null if there is
 * none.
 */
const checked = (workspaceId: number, list: Fragment): Fragment => part`
      select w.subscriber_id, w.email, s.first_name, s.last_name, s.fields,
        coalesce(
          x.reason,
          g.reason,
          case when s.status is distinct from 'subscribed' then coalesce(s.status, 'erased') end,
          t.reason
        ) as suppressed_for
      from ${list} w
      left join subscriber s on s.workspace_id = ${workspaceId} and s.id = w.subscriber_id
      left join suppression x on x.workspace_id = ${workspaceId} and x.email = w.email
      left join platform_suppression g on g.email = w.email
      left join lateral (
        select 'topic' as reason
        from topic_of_run k
        left join topic_choice o on o.workspace_id = ${workspaceId} and o.topic_id = k.id
          and o.subscriber_id = w.subscriber_id
        where not coalesce(o.subscribed, k.by_default)
      ) t on true`

/**
 * Claims the subscribers of the list `checked` under the locked `run`, and finalizes the suppressed
 * ones. `also` sets one more column.
 */
const claimChecked = (
  { workspaceId, campaignId }: CampaignKey,
  { batchSenderId, leaseSeconds }: Pick<RecordAndClaim, 'batchSenderId' | 'leaseSeconds'>,
  also = fragment``,
): Fragment => part`
  update campaign_recipient r set state = case when j.suppressed_for is null then 'leased' else 'settled' end,
        status = case when j.suppressed_for is null then r.status else 'suppressed' end,
        error = case when j.suppressed_for is not null then '${suppressedText}' || j.suppressed_for end,
        cause = case when j.suppressed_for is not null then 'suppressed' end,
        fence = r.fence + 1, attempts = r.attempts + case when j.suppressed_for is null then 1 else 0 end,
        first_claimed_at = coalesce(r.first_claimed_at, case when j.suppressed_for is null then run.at end),
        batch_sender_id = ${batchSenderId}, batch_sender_fence = r.fence + 1,
        leased_until = (select run.at + make_interval(secs => ${leaseSeconds}))${also}
      from run
      cross join checked j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = j.subscriber_id
        and r.state = 'pending'
      returning r.subscriber_id, r.fence, r.attempts, r.first_claimed_at, j.email, j.first_name, j.last_name,
        j.fields, j.suppressed_for`

/** Strays stay in their index: a lost one is found there. */
const unclaimedUntil = (leaseSeconds: number): Fragment => part`,
        next_at = case
          when j.suppressed_for is null then (select run.at + make_interval(secs => ${leaseSeconds})) end`
