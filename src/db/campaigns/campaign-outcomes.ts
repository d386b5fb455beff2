/**
 * Records outcomes of a campaign's hand-offs that did not simply succeed, or left a copy in the capture mailbox; many
 * in one statement.
 */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'
import type { CampaignKey, HeldSubscriber } from './campaign-claims.ts'
import { addToProgress, addToTally, progressSums } from './campaign-counts.ts'
import { packBytes } from '../connection/packed.ts'
import type { BounceClass } from '../../contract/emails.ts'
import type { RecipientStatus } from '../feedback/feedback.ts'

/** One hand-off's end, in the ledger's words, as for single messages (db/sending/outcomes.ts). */
export interface CampaignOutcome extends HeldSubscriber {
  event: 'sent' | 'bounced' | 'failed' | 'deferred' | 'in_doubt' | 'returned' | 'postponed' | 'threw'
  error: string | null
  response: string | null
  /** The bounce class of a refusal, also of a temporary one: it may be the last one. */
  bounce?: BounceClass | null
  /** For postponed recipients. */
  waitSeconds?: number
  /** The capture mailbox's copy, and its pending feedback. */
  copy: { id: string; raw: Buffer; returnPath: string; owed: string } | null
}

export interface CampaignOutcomeRules {
  retryFirstSeconds: number
  retryMaxSeconds: number
  /** How long a recipient is tried in all, from the freeze on. */
  queueLifeSeconds: number
  /** Seconds after which the capture mailbox's feedback is due. */
  owedSeconds: number
  /** Types of events without a subscriber, which are not published (core/events/change-and-publish.ts). */
  unheard?: readonly string[]
}

/** A row whose status changed. */
export interface ChangedRecipient {
  subscriberId: string
  email: string
  was: RecipientStatus
  status: RecipientStatus
  bounce: BounceClass | null
  error: string | null
  at: Date
}

/**
 * Writes the outcomes: ledger, counters, captured copies and tallies, all or nothing. A row changes only for the
 * holder whose fence it still has. Answers the rows whose status changed. The caller applies what follows a bounce,
 * suppression too (core/sending/apply-status-changes.ts).
 */
export function recordCampaignOutcomes(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  outcomes: CampaignOutcome[],
  rules: CampaignOutcomeRules,
): Promise<ChangedRecipient[]> {
  const sorted = outcomes.toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1))
  const raw = packBytes(sorted.map((o) => o.copy?.raw ?? null))
  return db.rows<ChangedRecipient>(sql`
    with held as materialized (
      select date_trunc('milliseconds', facteur_now()) as at,
        -- Days on which a warm-up left nothing to a campaign are not its queue's life.
        greatest(warmed_at, (select coalesce(reopened_at, held_until, frozen_at) from campaign
          where workspace_id = ${workspaceId} and id = ${campaignId})) + make_interval(secs => ${rules.queueLifeSeconds}) as life_ends
      from campaign_progress where workspace_id = ${workspaceId} and campaign_id = ${campaignId} for update
    ), judged as materialized (
      select o.*, r.status as known, h.at, h.life_ends, facteur_now() + least(${rules.retryFirstSeconds} * power(2, least(r.attempts, 20) - 1), ${rules.retryMaxSeconds}) * interval '1 second' as retry_at,
        case
          -- News was quicker than we are, and tells what became of it: nothing is left to try.
          when r.status <> 'queued' then 'known'
          when o.event = 'deferred' and facteur_now() + least(${rules.retryFirstSeconds} * power(2, least(r.attempts, 20) - 1), ${rules.retryMaxSeconds}) * interval '1 second'
            > h.life_ends or o.event = 'postponed' and h.at >= h.life_ends then 'spent'
          when o.event = 'threw' and r.troubles >= 2 then 'parked'
          else o.event end as verdict
      from held h
      cross join unnest(${sorted.map((o) => o.subscriberId)}::uuid[], ${sorted.map((o) => o.fence)}::int[], ${sorted.map((o) => o.event)}::text[],
                        ${sorted.map((o) => o.error)}::text[], ${sorted.map((o) => o.response)}::text[], ${sorted.map((o) => o.bounce ?? null)}::text[],
                        ${sorted.map((o) => o.copy?.id ?? null)}::uuid[], ${raw.starts}::int[], ${raw.lengths}::int[],
                        ${sorted.map((o) => o.copy?.returnPath ?? null)}::text[], ${sorted.map((o) => o.copy?.owed ?? null)}::text[],
                        ${sorted.map((o) => o.waitSeconds ?? null)}::float8[])
        as o (subscriber_id, fence, event, error, response, bounce, copy_id, raw_start, raw_length, return_path, owed, wait_seconds)
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = o.subscriber_id
      where r.fence = o.fence and r.state = 'leased'
    ), changed as (
      update campaign_recipient r set
        state = case when j.verdict in ('sent', 'bounced', 'failed', 'known', 'spent', 'parked') then 'settled'
                     when j.verdict = 'in_doubt' then 'in_doubt' else 'pending' end,
        status = case when j.verdict in ('sent', 'bounced', 'failed') then j.verdict
                      when j.verdict in ('spent', 'parked') then 'failed' else r.status end,
        error = case when j.verdict = 'spent' then 'gave up after the last temporary refusal: ' || coalesce(j.response, r.response, '')
                     when j.verdict = 'parked' then 'parked: ' || coalesce(j.error, '')
                     when j.verdict in ('bounced', 'failed') then j.error else r.error end,
        bounce = case when j.verdict in ('bounced', 'failed', 'spent') then j.bounce else r.bounce end,
        response = coalesce(j.response, r.response),
        sent_at = case when j.verdict in ('sent', 'known') then coalesce(r.sent_at, j.at) else r.sent_at end,
        attempts = case when j.event in ('returned', 'postponed') then r.attempts - 1 else r.attempts end,
        troubles = case when j.event = 'threw' then r.troubles + 1 else r.troubles end,
        next_at = case when j.verdict = 'returned' then j.at
                       when j.verdict = 'postponed' then least(j.at + make_interval(secs => j.wait_seconds), j.life_ends) when j.verdict in ('deferred', 'threw') then j.retry_at end
      from judged j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.subscriber_id = j.subscriber_id
        and r.fence = j.fence and r.state = 'leased'
      returning r.subscriber_id, r.email, r.status, r.bounce, r.error, r.state, r.next_at, r.attempts, r.response, campaign_place(r.state, r.status, r.sent_at) as is_in, j.known, j.verdict, j.event, j.at, j.copy_id, j.raw_start, j.raw_length, j.return_path, j.owed
    ), moves as (
      select 'pending' as was_in, is_in, count(*)::int as recipients, (count(*) filter (where verdict in ('sent', 'bounced')))::int as handed_over
      from changed group by is_in
    ), moved as (
      update campaign_progress p set ${addToProgress}
      from (select ${progressSums} from moves) n
      where p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId}
    ), copies as (
      insert into captured_mail (workspace_id, id, position, campaign_id, subscriber_id, return_path, recipient, raw, captured_at, feedback_kind, feedback_at)
      select ${workspaceId}, copy_id, 0, ${campaignId}::uuid, subscriber_id, return_path, email,
        substring(${raw.bytes}::bytea from raw_start for raw_length), at, owed, at + make_interval(secs => ${rules.owedSeconds})
      from changed where copy_id is not null
    ), deferrals as (
      insert into deferral (workspace_id, mail_id, part, attempt, at, response)
      select ${workspaceId}, ${campaignId}::uuid, subscriber_id::text, attempts, at, response from changed where event in ('deferred', 'in_doubt')
      on conflict do nothing
    ), bounces as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, ${campaignId}, 'bounced', '', count(*) from changed where verdict = 'bounced' having count(*) > 0
      ${addToTally}
    ), reputation as (
      insert into reputation_day (workspace_id, epoch, day, bounces)
      select ${workspaceId}, w.reputation_epoch, (facteur_now() at time zone 'utc')::date, count(*)
      from changed c join workspace w on w.id = ${workspaceId} where c.verdict = 'bounced' group by w.reputation_epoch
      on conflict (workspace_id, epoch, day) do update set bounces = reputation_day.bounces + excluded.bounces
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', min(next_at) from changed where state = 'pending' having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    ), news as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'feedback', min(at) + make_interval(secs => ${rules.owedSeconds})
      from changed where copy_id is not null having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    )
    select subscriber_id as "subscriberId", email, known as was, status, bounce, error, at,
      (select facteur_unheard(${workspaceId}, ${rules.unheard ?? []}::text[]))
    from changed where status <> known`)
}
