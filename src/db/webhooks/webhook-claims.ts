/**
 * Claims on webhook deliveries: which webhooks have due ones, which worker holds which, and the
 * outcome of each attempt (docs/states.md).
 */
import { logLine, type AttemptToLog } from './attempt-log.ts'
import { part, rowList, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'

/** A webhook with due deliveries, and the data that a call to it needs. */
export interface DueWebhook {
  id: string
  url: string
  host: string
  /** Sealed; the second one while both sign. */
  secret: Buffer
  previousSecret: Buffer | null
}

/**
 * Up to when the deliveries of a webhook were looked through: a look begins behind it
 * (docs/decisions/0052-a-held-horizon.md).
 */
export interface ScannedWebhook {
  webhookId: string
  since: Date | null
}

/** Where the next look may begin, unless rows are put back or become visible later. */
export interface PassedWebhook {
  webhookId: string
  to: Date
}

/** The enabled webhooks with due deliveries. `passed`: the others have none before that time. */
export async function webhooksDue(
  db: Database,
  workspaceId: number,
  scanned: readonly ScannedWebhook[] = [],
): Promise<{ due: DueWebhook[]; passed: PassedWebhook[] }> {
  const rows = await db.rows<DueWebhook & { isDue: boolean; passedTo: Date }>(sql`
    select w.id, w.url, w.host, w.secret,
      case when w.previous_until > facteur_now() then w.previous_secret end as previous_secret,
      (select true from webhook_delivery
       where workspace_id = ${workspaceId} and webhook_id = w.id and next_at is not null
         and next_at <= (select facteur_now())
         and next_at > w.since limit 1) is not null as is_due,
      facteur_now() - ${lateSeconds} * interval '1 second' as passed_to
    from ${webhooksFrom(workspaceId, scanned)}`)
  const due = rows.flatMap(({ isDue, passedTo: _passedTo, ...webhook }) => (isDue ? [webhook] : []))
  return {
    due,
    passed: rows.flatMap(({ id, isDue, passedTo }) =>
      isDue ? [] : [{ webhookId: id, to: passedTo }],
    ),
  }
}

/** The enabled webhooks `w`, each with `since`, where a look for its deliveries begins. */
export const webhooksFrom = (
  workspaceId: number,
  scanned: readonly ScannedWebhook[],
): Fragment => part`(
      select h.*, coalesce((
        select l.since
        from ${rowList(scanned, 'l', { uuid: ['webhookId'], timestamptz: ['since'] })}
        where l.webhook_id = h.id
        limit 1),
          '-infinity') as since
      from webhook h where h.workspace_id = ${workspaceId} and h.enabled offset 0) w`

/** A delivery as its holder identifies it, and its body. */
export interface ClaimedDelivery {
  webhookId: string
  eventId: string
  fence: number
  attempt: number
  /** When the attempt began, for the journal. */
  at: string
  body: string
}

/**
 * Seconds from the first, second… failure to the next attempt; after the last there is none (spec:
 * Delivery rules).
 */
export const ladderSeconds = [30, 120, 600, 3_600]

/**
 * Claims whose end was never recorded: from this one on each counts as a failure, so that a
 * delivery that crashes its workers stops.
 */
const lossesMax = 3

/** The journal's text for them. */
export const lostError = 'the worker was lost during the attempt'

/**
 * Claims up to `max` deliveries of each webhook, the longest due first: lease, attempt and fence
 * are set, which says that the attempt has begun. A delivery of a lost holder gets a line in its
 * log and is claimed again: the call may have been made, and is repeated. From the third loss on,
 * it waits for its next retry instead. `passed`: up to when no due delivery of a webhook is left.
 */
export async function claimDeliveries(
  db: Database,
  workspaceId: number,
  shares: (ScannedWebhook & { max: number })[],
  leaseSeconds: number,
): Promise<{ claimed: ClaimedDelivery[]; passed: PassedWebhook[] }> {
  const rows = await db.rows<
    ({ kind: 'claimed' } & ClaimedDelivery) | { kind: 'passed'; webhookId: string; passedTo: Date }
  >(sql`
    with shares as materialized (
      select * from ${rowList(shares, 'w', { uuid: ['webhookId'], int: ['max'], timestamptz: ['since'] })}
    ), matching as materialized (
      select d.* from shares w
      cross join lateral (
        select webhook_id, event_id, status, test, losses, failures, is_leased, next_at, facteur_now() as at
        from webhook_delivery
        where workspace_id = ${workspaceId} and webhook_id = w.webhook_id and next_at is not null
          and next_at <= (select facteur_now())
          and next_at > coalesce(w.since, '-infinity')
        order by next_at limit w.max for update skip locked) d
    ), checked as materialized (
      -- A test has one try; a delivery that a replay completed meanwhile needs none.
      select *, is_leased and (losses + 1 >= ${lossesMax} or test or status = 'delivered') as rests,
        is_leased and status = 'pending' and losses + 1 >= ${lossesMax} and not test
          and failures < ${ladderSeconds.length} as climbs
      from matching
    ), claimed as (
      update webhook_delivery d set
        is_leased = not j.rests,
        next_at = case when not j.rests then (select j.at + make_interval(secs => ${leaseSeconds}))
          when j.climbs
          then (select j.at + (${ladderSeconds}::int[])[d.failures + 1] * interval '1 second') end,
        status = case when j.rests and not j.climbs and d.status = 'pending' then 'failed' else d.status end,
        error = case when j.rests and d.status = 'pending' then ${lostError} else d.error end,
        failures = d.failures + (j.rests and d.status = 'pending')::int,
        fence = d.fence + 1, attempts = d.attempts + (not j.rests)::int, losses = d.losses + j.is_leased::int,
        attempt_log = case when j.is_leased
          then (select facteur_log_attempt(d.attempt_log, d.attempts, d.last_attempt_at, null, ${lostError},
            null))
          else d.attempt_log end,
        last_attempt_at = case when j.rests then d.last_attempt_at
          else (select date_trunc('milliseconds', j.at)) end
      from checked j
      where d.workspace_id = ${workspaceId} and d.webhook_id = j.webhook_id and d.event_id = j.event_id
      returning d.webhook_id, d.event_id, d.fence, d.attempts, d.last_attempt_at, j.rests
    )
    select 'claimed' as kind, c.webhook_id, c.event_id, c.fence, c.attempts as attempt,
      c.last_attempt_at::text as at, e.body, null as passed_to
    from claimed c
    -- One look-up by key each: a join might read every event.
    cross join lateral (
      select body from event
      where workspace_id = ${workspaceId} and id = c.event_id
      limit 1) e
    where not c.rests
    union all
    select 'passed', w.webhook_id, null, null, null, null, null,
      case
        when (select count(*) from matching where webhook_id = w.webhook_id) < w.max then facteur_now()
        else (select max(next_at) from matching where webhook_id = w.webhook_id) end
        - ${lateSeconds} * interval '1 second'
    from shares w`)
  return {
    claimed: rows.flatMap((row) => (row.kind === 'claimed' ? [claimedDelivery(row)] : [])),
    passed: rows.flatMap((row) =>
      row.kind === 'passed' ? [{ webhookId: row.webhookId, to: row.passedTo }] : [],
    ),
  }
}

const claimedDelivery = (row: ClaimedDelivery): ClaimedDelivery => {
  const { webhookId, eventId, fence, attempt, at, body } = row
  return { webhookId, eventId, fence, attempt, at, body }
}

export interface AttemptRow extends AttemptToLog {
  webhookId: string
  eventId: string
  fence: number
  /**
   * `returned`: the worker stopped before the response; it goes out again at once, and no retry is
   * used. `unmade`: no call was made.
   */
  outcome: 'delivered' | 'failed' | 'returned' | 'unmade'
}

/**
 * Stores the outcomes of attempts, many in one statement; a row changes only for the holder whose
 * fence it still has. Tracks for each webhook since when it fails. Answers whether any has failed
 * long enough to be disabled.
 */
export function recordAttempts(
  db: Database,
  workspaceId: number,
  attempts: AttemptRow[],
  { failingSeconds }: { failingSeconds: number },
): Promise<{ isLongFailing: boolean }> {
  const sorted = attempts.toSorted((a, b) =>
    a.webhookId + a.eventId < b.webhookId + b.eventId ? -1 : 1,
  )
  const rows = sorted.map((attempt) => ({ ...attempt, logged: logLine(attempt) }))
  return db.onlyRow<{ isLongFailing: boolean }>(sql`
    with outcomes as materialized (
      select * from ${rowList(rows, 't', {
        uuid: ['webhookId', 'eventId'],
        int: ['fence', 'status', 'durationMs'],
        text: ['outcome', 'body', 'error'],
        jsonb: ['logged'],
      })}
    ), changed as (
      update webhook_delivery d set is_leased = false,
        status = case
          when o.outcome = 'delivered' or d.status = 'delivered' then 'delivered'
          when o.outcome = 'failed' and (d.test or d.failures >= ${ladderSeconds.length}) then 'failed'
          else d.status end,
        failures = d.failures + (o.outcome = 'failed')::int,
        attempts = d.attempts - (o.outcome = 'unmade')::int,
        next_at = case when o.outcome in ('returned', 'unmade') then now.at
          when o.outcome = 'failed' and d.status = 'pending' and not d.test
          then (select now.at + (${ladderSeconds}::int[])[d.failures + 1] * interval '1 second') end,
        response_status = case when o.outcome = 'unmade' then d.response_status else o.status end,
        response_body = case when o.outcome = 'unmade' then d.response_body else o.body end,
        error = case when o.outcome = 'unmade' then d.error else o.error end,
        duration_ms = case when o.outcome = 'unmade' then d.duration_ms else o.duration_ms end,
        attempt_log = case
          when o.outcome = 'unmade' then d.attempt_log
          when jsonb_array_length(d.attempt_log) >= 50 then (d.attempt_log - 0) || o.logged
          else d.attempt_log || o.logged end
      from (select facteur_now() as at) now cross join outcomes o
      where d.workspace_id = ${workspaceId} and d.webhook_id = o.webhook_id and d.event_id = o.event_id
        and d.fence = o.fence and d.is_leased
      returning d.webhook_id, d.next_at, o.outcome, now.at
    ), ended as materialized (
      -- One success of the batch counts for the webhook.
      select webhook_id, bool_or(outcome = 'delivered') as succeeds, max(at) as at from changed
      where outcome in ('delivered', 'failed') group by webhook_id
    ), failing as materialized (
      update webhook w set failing_since = case when t.succeeds then null else t.at end
      from ended t
      where w.workspace_id = ${workspaceId} and w.id = t.webhook_id
        and (w.failing_since is null) <> t.succeeds
      returning 1
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'webhook', min(next_at)
      from changed
      where next_at is not null
      having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select coalesce(bool_or(w.failing_since <= t.at - make_interval(secs => ${failingSeconds})), false)
      as is_long_failing
    from ended t join webhook w on w.workspace_id = ${workspaceId} and w.id = t.webhook_id
    where not t.succeeds`)
}
