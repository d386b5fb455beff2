/**
 * Records outcomes of hand-offs, many of one workspace in one statement; a row changes only for the
 * holder whose fence it still has.
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { rowsUnlessSubscribed, subscriptionCheck } from '../webhooks/subscription-check.ts'
import { countsReputation } from '../workspaces/reputation-counts.ts'
import type { DoubtRules, LeasedRow } from './claims.ts'
import type { AttemptOutcome, VerdictRules } from './attempt-outcome.ts'
import {
  countsHandOffJ,
  firstBounces,
  applyVerdictJToR,
  applyVerdictJToMessageR,
  verdictsOfEnded,
  outcomeShape,
} from './verdicts.ts'
import type { BounceClass, EmailStatus } from '../../contract/emails.ts'

export interface OutcomeRow extends LeasedRow, AttemptOutcome {}

export interface OutcomeRules extends VerdictRules, DoubtRules {
  /**
   * Seconds without feedback after which sent counts as delivered; null where the provider sends
   * feedback.
   */
  silenceSeconds: number | null
}

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
  /** The provider's last response. */
  response: string | null
  attempts: number
}

const outcomeList = outcomeShape<OutcomeRow>({ uuid: ['messageId'], smallint: ['position'] })

/**
 * Writes the outcomes: ledger, captured copies, reputation, all or nothing. Answers the rows that
 * changed, without those of a holder whose lease is gone. The caller applies what follows a bounce,
 * suppression too (core/sending/apply-status-changes.ts).
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
  const { list, copies } = outcomeList(sorted)
  // 1. subscribed: whether a webhook asks for what is not published here. Then nothing is written.
  // 2. outcomes, ended: the outcomes whose holder still has the lease, with their rows locked.
  // 3. verdicts: what each becomes: settled, tried again, or in doubt.
  // 4. changed: the ledger.
  // 5. copies, deferrals: the captured mail, and the line of an attempt that is made again.
  // 6. counting, first_bounces, then reputation: what the workspace's reputation counts.
  // 7. again, feedback_lane: when the workspace's next row is due in these lanes.
  return rowsUnlessSubscribed<ChangedRow>(
    db,
    'messageId',
    sql`
    with ${subscriptionCheck(workspaceId, rules.unsubscribedTypes ?? [])}, outcomes as materialized (
      select * from ${list} where not (select is_subscribed from subscribed)
    ), ended as materialized (
      -- The list carries all columns: a second join of two lists would compare each row with each.
      -- In milliseconds, as cursors of lists carry it: a list would skip finer times between two pages.
      select o.*, m.notice, r.status as known, r.attempts, r.troubles + (o.event = 'threw')::int as troubled,
        date_trunc('milliseconds', facteur_now()) as at,
        coalesce(m.scheduled_at, m.created_at) + make_interval(secs => ${rules.queueLifeSeconds})
          as life_ends,
        ${rules.retryFirstSeconds}::float8 as retry_first, ${rules.retryMaxSeconds}::float8 as retry_max,
        ${rules.repeat} and r.lane = 'transactional' and r.doubts = 0 as repeats
      from outcomes o
      -- One look-up by key each, in the order of the list: a join might begin with all leased rows,
      -- and pass their dead versions.
      cross join lateral (
        select status, attempts, troubles, lane, doubts, fence, state from recipient
        where workspace_id = ${workspaceId} and message_id = o.message_id and position = o.position
        limit 1
        for update) r
      cross join lateral (
        select notice, scheduled_at, created_at
        from message
        where workspace_id = ${workspaceId} and id = o.message_id
        limit 1) m
      where r.fence = o.fence and r.state = 'leased'
    ), ${verdictsOfEnded}, changed as (
      update recipient r set ${applyVerdictJToR}, ${applyVerdictJToMessageR}
      from verdicts j
      where r.workspace_id = ${workspaceId} and r.message_id = j.message_id and r.position = j.position
      returning r.message_id, r.position, r.email, r.address_key, r.status, r.bounce, r.error, r.state,
        r.next_at, r.attempts, r.response, ${countsHandOffJ} as handed_over, j.known, j.event, j.becomes,
        j.notice, j.at, j.copy_id, j.raw_start, j.raw_length, j.return_path, j.copy_pending
    ), copies as (
      insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw,
        captured_at, feedback_kind, feedback_at)
      select ${workspaceId}, copy_id, message_id, position, return_path, email,
        substring(${copies}::bytea from raw_start for raw_length), at, copy_pending,
        at + make_interval(secs => ${rules.pendingSeconds})
      from changed where copy_id is not null
    ), deferrals as (
      insert into deferral (workspace_id, mail_id, part, attempt, at, response)
      select ${workspaceId}, message_id, position::text, attempts, at, response
      from changed
      where event in ('deferred', 'in_doubt')
      on conflict do nothing
    ), counting as (
      -- The service's own mail says nothing about a workspace's lists (semantics 1, Quota).
      select address_key as email, becomes from changed where handed_over and not notice
    ), first_bounces as (${firstBounces(workspaceId, sorted, fragment`counting`)}
    ), ${countsReputation(
      workspaceId,
      fragment`
        select (select count(*) from counting) as hand_offs, (select count(*) from first_bounces) as bounces,
          0 as complaints`,
    )}
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'transactional', min(next_at)
      from changed
      where state = 'pending'
      having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    ), feedback_lane as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'feedback', min(at) + make_interval(secs => coalesce(
          case when bool_or(copy_id is not null) then ${rules.pendingSeconds}::float8 end,
          ${rules.silenceSeconds}::float8))
      from changed
      where event = 'sent' and (copy_id is not null or ${rules.silenceSeconds}::float8 is not null)
      having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select message_id, position, event, known as was, status, address_key as email, bounce, error, at,
      response, attempts, is_subscribed
    from subscribed left join changed on true`,
  )
}
