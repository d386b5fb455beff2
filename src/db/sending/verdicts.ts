/**
 * Holds the verdict on the outcome of an attempt, and what it changes in a recipient's row. Both
 * ledgers use it, for recorded outcomes and for lost leases (docs/decisions/0041, docs/states.md).
 */
import { fragment, part, rowShape, type Fragment } from '../../database/client/fragment.ts'
import { packBytes } from '../../database/client/binary-arrays.ts'
import { countedOnce } from '../workspaces/reputation-counts.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'
import { parkedText, spentText } from './failure-causes.ts'

/**
 * Outcomes of attempts as the list `o` of a statement; `ids` name its row in the ledger. The
 * captured copies are packed into one parameter.
 */
export function outcomeShape<Outcome extends AttemptOutcome & { fence: number }>(ids: {
  uuid: (keyof Outcome & string)[]
  smallint?: (keyof Outcome & string)[]
}): (outcomes: readonly Outcome[]) => { list: Fragment; copies: Buffer } {
  const shape = rowShape<Outcome & CopyColumns>('o', {
    ...{ ...ids, uuid: [...ids.uuid, 'copyId'] },
    int: ['fence', 'rawStart', 'rawLength'],
    text: ['event', 'error', 'response', 'bounce', 'returnPath', 'copyPending'],
    float8: ['waitSeconds'],
  })
  return (outcomes) => {
    const raws: (Buffer | null)[] = []
    for (const { copy } of outcomes) raws.push(copy?.raw ?? null)
    const { bytes: copies, places } = packBytes(raws)
    const lines: (Outcome & CopyColumns)[] = []
    for (const outcome of outcomes) {
      const { id: copyId, returnPath, pending: copyPending } = outcome.copy ?? {}
      const { start: rawStart, length: rawLength } = places[lines.length] ?? {}
      lines.push({ ...outcome, copyId, returnPath, copyPending, rawStart, rawLength })
    }
    return { list: shape(lines), copies }
  }
}

/** Of the capture mailbox's copy, where there is one. */
interface CopyColumns {
  copyId: string | undefined
  returnPath: string | undefined
  copyPending: string | undefined
  rawStart: number | undefined
  rawLength: number | null | undefined
}

/**
 * The list `verdicts`: each line of `ended` with `verdict` and `becomes`, the status to write (null
 * if there is none); and with `retry_at`, `wait_ends` and `doubt_ends`, since Citus computes no
 * times in an update.
 *
 * * `ended` has one locked, leased row for each attempt: `event`, `error`, `response`, `bounce`,
 * `wait_seconds`; `known`, its status; `attempts`; `troubled`, its troubles with this one; `at`;
 * `life_ends`; `retry_first` and `retry_max` in seconds; `repeats`, whether a doubt is sent again.
 * Two more events are `lost` and `unsent`: a lease ended, and the mail may have left or cannot
 * have.
 */
export const verdictsOfEnded = fragment`verdicts as materialized (
      select j.*, case
          -- A status only advances (semantics 3).
          when j.verdict = 'sent' and j.known = 'queued' then 'sent'
          when j.verdict = 'bounced' and j.known not in ('bounced', 'complained') then 'bounced'
          when j.verdict in ('failed', 'spent', 'parked')
          and j.known in ('queued', 'sent') then 'failed' end as becomes
      from (
        select h.*, case
            -- Feedback came first and names the outcome: nothing is left to try.
            when h.known <> 'queued' and h.event not in ('sent', 'bounced', 'failed') then 'known'
            when h.event = 'deferred' and h.retry_at > h.life_ends or h.event = 'postponed'
            and h.at >= h.life_ends then 'spent'
            when h.event in ('threw', 'lost', 'unsent') and h.troubled >= 3 then 'parked'
            when h.event in ('in_doubt', 'lost') then case when h.repeats then 'repeated' else 'in_doubt' end
            else h.event end as verdict
        from (
          select e.*,
            e.at + least(e.retry_first * power(2, least(e.attempts, 20) - 1),
              e.retry_max) * interval '1 second' as retry_at,
            least(e.at + make_interval(secs => e.wait_seconds), e.life_ends) as wait_ends,
            least(e.at + make_interval(secs => e.retry_max), e.life_ends) as doubt_ends
          from ended e
        ) h
      ) j
    )`

/**
 * A list of a statement: the bounces of the list `of` whose address counts now; outcomes without a
 * bounce touch no table for it.
 */
export const firstBounces = (
  workspaceId: number,
  outcomes: readonly AttemptOutcome[],
  of: Fragment,
): Fragment =>
  outcomes.some(({ event }) => event === 'bounced')
    ? countedOnce(
        workspaceId,
        part`select 'bounce' as kind, email from ${of} where becomes = 'bounced'`,
      )
    : fragment`select 1 where false`

/**
 * Whether an attempt of `j` handed the mail over, so that the reputation counts it. Feedback on a
 * leased row leaves that to us.
 */
export const countsHandOffJ = fragment`(j.event in ('sent', 'bounced') or j.known <> 'queued')`

/**
 * The columns of row `r` in either ledger that a line `j` of `verdicts` sets, except `next_at`. A
 * parked row has no bounce, because no host refused it.
 */
export const applyVerdictJToR = fragment`
        state = case
          when j.verdict in ('deferred', 'postponed', 'returned', 'threw', 'unsent', 'repeated')
          then 'pending'
                     when j.verdict = 'in_doubt' then 'in_doubt' else 'settled' end,
        status = coalesce(j.becomes, r.status),
        error = case when j.becomes is null or j.becomes = 'sent' then r.error
                     when j.verdict = 'spent' then '${spentText}' || coalesce(j.response, r.response, '')
                     when j.verdict = 'parked' then '${parkedText}' || coalesce(j.error, '') else j.error end,
        cause = case when j.becomes is null or j.becomes = 'sent' then r.cause
                     when j.verdict in ('spent', 'parked') then j.verdict else 'refused' end,
        bounce = case when j.becomes in ('bounced', 'failed') then j.bounce else r.bounce end,
        response = coalesce(j.response, r.response),
        sent_at = case when j.verdict in ('sent', 'known') then coalesce(r.sent_at, j.at) else r.sent_at end,
        attempts = case when j.event in ('returned', 'postponed', 'unsent') then r.attempts - 1
          else r.attempts end,
        troubles = j.troubled`

/** From when a row that is pending again may be claimed. Null if it is not. */
export const nextTryAtOfJ = fragment`
          case when j.verdict in ('returned', 'unsent') then j.at
               when j.verdict = 'postponed' then j.wait_ends
               when j.verdict in ('deferred', 'threw', 'repeated') then j.retry_at end`

/** The further columns of a row of single messages. A row in doubt is given up at `next_at`. */
export const applyVerdictJToMessageR = fragment`
        settled_at = case
          when j.verdict in ('sent', 'bounced', 'failed', 'spent', 'parked', 'known') then j.at end,
        doubts = case when j.event in ('in_doubt', 'lost') then r.doubts + 1 else r.doubts end,
        doubted_at = case when j.event in ('in_doubt', 'lost') then j.at else r.doubted_at end,
        next_at = coalesce(${nextTryAtOfJ}, j.doubt_ends)`

/**
 * The columns of a lost lease in `ended`: the reason if it parks the row, and the response if the
 * mail may have left.
 */
export const lostWorker = fragment`'its hand-off ended its worker three times' as error,
        case
          when event = 'lost'
          then 'the worker was lost during the hand-off: the message may have left' end as response,
        null::text as bounce, null::float8 as wait_seconds, 1 as attempts`
