/**
 * Records outcomes of hand-offs, many of one workspace in one statement; a row changes only for the holder whose
 * fence it still has.
 */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'
import { packBytes } from '../connection/packed.ts'
import type { DoubtRules, HeldRow } from './claims.ts'
import type { BounceClass, EmailStatus } from '../../contract/emails.ts'

/** One hand-off's end, in the ledger's words. */
export interface OutcomeRow extends HeldRow {
  event:
    | 'sent'
    /** Refused because the address does not exist: it is suppressed. */
    | 'bounced'
    /** Refused for good, for any other reason. */
    | 'failed'
    /** Refused for now. */
    | 'deferred'
    | 'in_doubt'
    /** Not begun: free again at once, and the attempt does not count. */
    | 'returned'
    /** Not begun: free again after `waitSeconds`, within the queue's life, and the attempt does not count. */
    | 'postponed'
    /** Our own code threw; at the third time the row is parked. */
    | 'threw'
  error: string | null
  response: string | null
  /** The bounce class of a refusal, also of a temporary one: it may be the last one. */
  bounce?: BounceClass | null
  /** For postponed rows. */
  waitSeconds?: number
  /** The capture mailbox's copy, and its pending feedback. */
  copy: { id: string; raw: Buffer; returnPath: string; owed: string } | null
}

export interface OutcomeRules extends DoubtRules {
  /** Seconds after which the capture mailbox's feedback is due. */
  owedSeconds: number
  /** Seconds without feedback after which sent counts as delivered; null where the provider sends feedback. */
  silenceSeconds: number | null
  /** Types of events without a subscriber, which are not published (core/events/change-and-publish.ts). */
  unheard?: readonly string[]
}

/** A row whose status changed. */
export interface ChangedRow {
  messageId: string
  position: number
  event: OutcomeRow['event']
  was: EmailStatus
  status: EmailStatus
  /** Lower-cased. */
  email: string
  bounce: BounceClass | null
  error: string | null
  at: Date
}

/**
 * Writes the outcomes: ledger, captured copies, reputation, all or nothing. Answers the rows that changed, without
 * those of a holder whose lease is gone. The caller applies what follows a bounce, suppression too
 * (core/sending/apply-status-changes.ts).
 */
export function recordOutcomes(
  db: Database,
  workspaceId: number,
  outcomes: OutcomeRow[],
  rules: OutcomeRules,
): Promise<ChangedRow[]> {
  // Every process locks rows in this order.
  const sorted = outcomes.toSorted((a, b) =>
    a.messageId < b.messageId ? -1 : a.messageId > b.messageId ? 1 : a.position - b.position,
  )
  const raw = packBytes(sorted.map((o) => o.copy?.raw ?? null))
  return db.rows<ChangedRow>(sql`
    with o as materialized (
      select * from unnest(${sorted.map((o) => o.messageId)}::uuid[], ${sorted.map((o) => o.position)}::smallint[],
                           ${sorted.map((o) => o.fence)}::int[], ${sorted.map((o) => o.event)}::text[],
                           ${sorted.map((o) => o.error)}::text[], ${sorted.map((o) => o.response)}::text[], ${sorted.map((o) => o.bounce ?? null)}::text[],
                           ${sorted.map((o) => o.copy?.id ?? null)}::uuid[], ${raw.starts}::int[], ${raw.lengths}::int[],
                           ${sorted.map((o) => o.copy?.returnPath ?? null)}::text[], ${sorted.map((o) => o.copy?.owed ?? null)}::text[],
                           ${sorted.map((o) => o.waitSeconds ?? null)}::float8[])
        as t (message_id, position, fence, event, error, response, bounce, copy_id, raw_start, raw_length, return_path, owed, wait_seconds)
    ), held as materialized (
      -- All columns are carried along: joining two lists again would compare each row with each.
      -- In milliseconds, as places in lists carry it: what is finer would be passed over between two pages.
      select o.*, m.notice, r.status as known, r.troubles, date_trunc('milliseconds', facteur_now()) as at,
        coalesce(m.scheduled_at, m.created_at) + make_interval(secs => ${rules.queueLifeSeconds}) as life_ends,
        facteur_now() + least(${rules.retryFirstSeconds} * power(2, least(r.attempts, 20) - 1), ${rules.retryMaxSeconds}) * interval '1 second' as retry_at,
        ${rules.repeat} and r.lane = 'transactional' and r.doubts = 0 as repeats
      from o
      join recipient r on r.workspace_id = ${workspaceId} and r.message_id = o.message_id and r.position = o.position
      join message m on m.workspace_id = ${workspaceId} and m.id = o.message_id
      where r.fence = o.fence and r.state = 'leased'
      order by r.message_id, r.position
      for update of r
    ), judged as (
      select h.*, case
          -- News was quicker than we are, and tells what became of it: nothing is left to try.
          when h.known <> 'queued' and h.event not in ('sent', 'bounced', 'failed') then 'known'
          when h.event = 'deferred' and h.retry_at > h.life_ends or h.event = 'postponed' and h.at >= h.life_ends then 'spent'
          when h.event = 'threw' and h.troubles >= 2 then 'parked'
          when h.event = 'in_doubt' and not h.repeats then 'doubted'
          else h.event end as verdict
      from held h
    ), forward as (
      -- A status never moves back.
      select j.*, case when j.verdict = 'sent' and j.known = 'queued' then 'sent'
                       when j.verdict = 'bounced' and j.known not in ('bounced', 'complained') then 'bounced'
                       when j.verdict in ('failed', 'spent', 'parked') and j.known in ('queued', 'sent') then 'failed' end as becomes
      from judged j
    ), changed as (
      update recipient r set
        state = case when j.verdict in ('sent', 'bounced', 'failed', 'spent', 'parked', 'known') then 'settled'
                     when j.verdict = 'doubted' then 'in_doubt' else 'pending' end,
        status = coalesce(j.becomes, r.status),
        error = case when j.becomes is null or j.becomes = 'sent' then r.error
                     when j.verdict = 'spent' then 'gave up after the last temporary refusal: ' || coalesce(j.response, r.response, '')
                     when j.verdict = 'parked' then 'parked: ' || coalesce(j.error, '') else j.error end,
        bounce = case when j.becomes in ('bounced', 'failed') then j.bounce else r.bounce end,
        response = coalesce(j.response, r.response),
        sent_at = case when j.verdict in ('sent', 'bounced') then coalesce(r.sent_at, case when j.verdict = 'sent' then j.at end) else r.sent_at end,
        settled_at = case when j.verdict in ('sent', 'bounced', 'failed', 'spent', 'parked', 'known') then j.at end,
        attempts = case when j.event in ('returned', 'postponed') then r.attempts - 1 else r.attempts end,
        doubts = case when j.event = 'in_doubt' then r.doubts + 1 else r.doubts end,
        doubted_at = case when j.event = 'in_doubt' then j.at else r.doubted_at end,
        troubles = case when j.event = 'threw' then r.troubles + 1 else r.troubles end,
        next_at = case when j.verdict = 'doubted' then least(j.at + make_interval(secs => ${rules.retryMaxSeconds}), j.life_ends) when j.verdict = 'returned' then j.at
                       when j.verdict = 'postponed' then least(j.at + make_interval(secs => j.wait_seconds), j.life_ends) else j.retry_at end
      from forward j
      where r.workspace_id = ${workspaceId} and r.message_id = j.message_id and r.position = j.position
      returning r.message_id, r.position, r.email, r.address_key, r.status, r.bounce, r.error, r.state, r.next_at, r.attempts, r.response, j.known, j.event, j.becomes, j.notice, j.at, j.copy_id, j.raw_start, j.raw_length, j.return_path, j.owed
    ), copies as (
      insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_kind, feedback_at)
      select ${workspaceId}, copy_id, message_id, position, return_path, email, substring(${raw.bytes}::bytea from raw_start for raw_length), at, owed, at + make_interval(secs => ${rules.owedSeconds})
      from changed where copy_id is not null
    ), deferrals as (
      insert into deferral (workspace_id, mail_id, part, attempt, at, response)
      select ${workspaceId}, message_id, position::text, attempts, at, response from changed where event in ('deferred', 'in_doubt')
      on conflict do nothing
    ), reputation as (
      insert into reputation_day (workspace_id, epoch, day, hand_offs, bounces)
      select ${workspaceId}, w.reputation_epoch, (facteur_now() at time zone 'utc')::date,
        count(*), count(*) filter (where c.becomes = 'bounced')
      from changed c join workspace w on w.id = ${workspaceId}
      -- Mail of ours says nothing of the lists that a workspace writes to (semantics 1, Quota).
      where c.event in ('sent', 'bounced') and not c.notice group by w.reputation_epoch
      on conflict (workspace_id, epoch, day) do update
        set hand_offs = reputation_day.hand_offs + excluded.hand_offs, bounces = reputation_day.bounces + excluded.bounces
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'transactional', min(next_at) from changed where state = 'pending' having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    ), news as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'feedback', min(at) + make_interval(secs => coalesce(
          case when bool_or(copy_id is not null) then ${rules.owedSeconds}::float8 end, ${rules.silenceSeconds}::float8))
      from changed where event = 'sent' and (copy_id is not null or ${rules.silenceSeconds}::float8 is not null) having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
    )
    select message_id as "messageId", position, event, known as was, status, address_key as email, bounce, error, at,
      (select facteur_unheard(${workspaceId}, ${rules.unheard ?? []}::text[]))
    from changed`)
}
