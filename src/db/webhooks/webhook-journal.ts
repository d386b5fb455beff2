/**
 * The journal of a webhook: its deliveries, the result of each attempt, and the replays that users
 * asked for.
 */
import { limits } from '../../contract/limits.ts'
import type { DeliveryStatus } from '../../contract/webhooks.ts'
import type { EventType } from '../../contract/events.ts'
import { logLine, type AttemptToLog, type LoggedAttempt } from './attempt-log.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { idsStoredFrom } from '../retention/stored-since.ts'
import type { ClaimedDelivery } from './webhook-claims.ts'

export interface DeliveryRow {
  webhookId: string
  eventId: string
  type: EventType
  status: DeliveryStatus
  attempts: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  durationMs: number | null
  test: boolean
  createdAt: Date
  lastAttemptAt: Date | null
  /** Null also while an attempt is running. */
  nextAttemptAt: Date | null
  attemptLog: LoggedAttempt[]
}

/** An entry of a page, and how many entries the page had before it was cut at its bytes. */
export type FoundDelivery = DeliveryRow & { uncutCount: number }

/** An entry without the responses, which are long. */
export type DeliveryEntry = Omit<DeliveryRow, 'responseBody' | 'attemptLog'>

export const entryColumns = fragment`webhook_id, event_id, type, status, attempts, response_status,
      error, duration_ms, test, created_at, last_attempt_at,
      case when not is_leased then next_at end as next_attempt_at`

/** Entries of one webhook by the time of their event, newest first, from before one on. */
export function deliveryPage(
  db: Database,
  workspaceId: number,
  webhookId: string,
  page: { max: number; before: string | null },
): Promise<FoundDelivery[]> {
  return db.rows<FoundDelivery>(sql`
    select ${entryColumns}, response_body, attempt_log, uncut_count::int as uncut_count
    from (
      select *, count(*) over () as uncut_count, row_number() over nearest as line,
        sum(500 + octet_length(attempt_log::text) + coalesce(octet_length(response_body),
          0)) over nearest as bytes
      from (
        select * from webhook_delivery
        where workspace_id = ${workspaceId} and webhook_id = ${webhookId}
          and event_id >= ${idsStoredFrom(workspaceId, 'events')}
          and event_id < coalesce(${page.before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by event_id desc limit ${page.max}
      ) page
      window nearest as (order by event_id desc rows unbounded preceding)
    ) summed
    where line = 1 or bytes <= ${limits.pageBytesMax}
    order by event_id desc`)
}

/** The number of this attempt, and its request. */
export type BegunAttempt = Omit<ClaimedDelivery, 'webhookId'>

/**
 * Stores a test's event, which no other webhook gets, with an entry that is claimed already. It has
 * one try, and is finalized as lost if its end is never recorded.
 */
export function insertTest(
  db: Database,
  workspaceId: number,
  { webhookId, type, leaseSeconds }: { webhookId: string; type: EventType; leaseSeconds: number },
): Promise<BegunAttempt> {
  return db.onlyRow<BegunAttempt>(sql`
    with kept as (
      insert into event (workspace_id, id, place, type, test, body, created_at)
      select ${workspaceId}, s.id, nextval('event_order'), ${type}, true,
        '{"id":"evt_' || replace(s.id::text, '-', '') || '","type":"' || ${type} || '","created_at":"'
          || to_char(s.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":{"test":true}}',
            s.at
      from (select m.at, facteur_event_id(m.at, 0) as id
        from (select date_trunc('milliseconds', facteur_now()) as at) m) s
      returning id, body, created_at as at
    ), claimed as (
      insert into webhook_delivery (workspace_id, webhook_id, event_id, type, test, attempts, fence,
        is_leased, next_at, created_at, last_attempt_at)
      select ${workspaceId}, ${webhookId}, id, ${type}, true, 1, 1, true,
        at + make_interval(secs => ${leaseSeconds}), at, at
      from kept
      returning next_at
    ), hint as (
      insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'webhook', next_at from claimed
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select id as event_id, 1 as fence, 1 as attempt, at::text as at, body from kept`)
}

/**
 * Counts one more attempt of an entry in any state, beside any holder; null when there is no such
 * entry.
 */
export function beginReplay(
  db: Database,
  workspaceId: number,
  { webhookId, eventId }: { webhookId: string; eventId: string },
): Promise<BegunAttempt | null> {
  return db.row<BegunAttempt>(sql`
    with begun as (
      update webhook_delivery
      set attempts = attempts + 1, last_attempt_at = date_trunc('milliseconds', facteur_now())
      where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and event_id = ${eventId}
        and event_id >= ${idsStoredFrom(workspaceId, 'events')}
      returning event_id, fence, attempts, last_attempt_at
    )
    select b.event_id, b.fence, b.attempts as attempt, b.last_attempt_at::text as at, e.body
    from begun b join event e on e.workspace_id = ${workspaceId} and e.id = b.event_id`)
}

/**
 * Stores the result of a replay. Success makes the entry delivered and ends its retries; failure
 * leaves both as they are. Answers how many attempts were begun; null when the entry was deleted
 * meanwhile.
 */
export function recordReplay(
  db: Database,
  workspaceId: number,
  a: AttemptToLog & { webhookId: string; eventId: string; isDelivered: boolean },
): Promise<number | null> {
  return db.value<number>(sql`
    with recorded as (
      update webhook_delivery set
        status = case when ${a.isDelivered} then 'delivered' else status end,
        -- The holder of its own lease completes it.
        next_at = case when ${a.isDelivered} and not is_leased then null else next_at end,
        response_status = ${a.status}, response_body = ${a.body}, error = ${a.error},
          duration_ms = ${a.durationMs},
        attempt_log = case when jsonb_array_length(attempt_log) >= 50 then attempt_log - 0
          else attempt_log end || ${logLine(a)}::jsonb
      where workspace_id = ${workspaceId} and webhook_id = ${a.webhookId} and event_id = ${a.eventId}
      returning attempts
    ), mended as (
      update webhook set failing_since = null
      where workspace_id = ${workspaceId} and id = ${a.webhookId} and ${a.isDelivered}
        and failing_since is not null
    )
    select attempts from recorded`)
}

/** Events from a time on and before another, and how many one statement reads. */
export interface EventRange {
  from: string
  to: string | null
  /** Also delivered ones. */
  all: boolean
  /** After this one. */
  after: string
  max: number
}

/** How many events a statement read, and the last of them. */
export interface RangeProgress {
  scannedCount: number
  last: string | null
}

/** The list `matching` of a webhook's events in a range. */
export const eventsOf = (
  workspaceId: number,
  webhookId: string,
  { after, from, to, max }: EventRange,
): Fragment => part`
    hook as materialized (
      select events from webhook where workspace_id = ${workspaceId} and id = ${webhookId}
    ), matching as materialized (
      select id, type from event
      where workspace_id = ${workspaceId} and id > ${after}::uuid
        and id >= facteur_events_from(${from}::timestamptz)
        and id >= ${idsStoredFrom(workspaceId, 'events')}
        and id < case when ${to}::timestamptz is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        else facteur_events_from(${to}::timestamptz) end
        and not test and type = any ((select events from hook)::text[])
      order by id limit ${max}
    )`

/**
 * Sends the events of a range to one webhook again. Failed entries begin their retries again.
 * Missing ones, because it was disabled then, are created. With `all`, delivered ones go out once
 * more.
 */
export function replayRange(
  db: Database,
  workspaceId: number,
  webhookId: string,
  range: EventRange,
): Promise<{ queued: number } & RangeProgress> {
  return db.onlyRow<{ queued: number } & RangeProgress>(sql`
    with ${eventsOf(workspaceId, webhookId, range)}, moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), queued as (
      insert into webhook_delivery as d (workspace_id, webhook_id, event_id, type, next_at, created_at)
      select ${workspaceId}, ${webhookId}, f.id, f.type, m.at, m.at
      from matching f
      cross join moment m
      order by f.id
      on conflict (workspace_id, webhook_id, event_id) do update set
        next_at = excluded.next_at, failures = 0, losses = 0,
        status = case when d.status = 'failed' then 'pending' else d.status end
        where not d.is_leased and (d.status = 'failed' or (${range.all} and d.status = 'delivered'))
      returning 1
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'webhook', m.at
      from moment m
      where exists (select from queued)
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
    )
    select (select count(*) from queued)::int as queued,
      (select count(*) from matching)::int as scanned_count,
      (select id from matching order by id desc limit 1) as last`)
}

/**
 * Sends stored deliveries of one webhook again, as `replayRange` does with `all`. Those that are
 * pending or claimed stay as they are, and tests, which have one try. Answers how many go out.
 */
export function replayChosen(
  db: Database,
  workspaceId: number,
  webhookId: string,
  eventIds: string[],
): Promise<number> {
  return db.onlyValue<number>(sql`
    with moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), queued as (
      update webhook_delivery d
      set next_at = moment.at, failures = 0, losses = 0,
        status = case when d.status = 'failed' then 'pending' else d.status end
      from moment
      where d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId}
        and d.event_id = any (${eventIds}::uuid[])
        and d.event_id >= ${idsStoredFrom(workspaceId, 'events')}
        and not d.is_leased and not d.test and d.next_at is null
        and d.status in ('failed', 'delivered')
      returning 1
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'webhook', m.at
      from moment m
      where exists (select from queued)
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
    )
    select count(*)::int as queued from queued`)
}

/** Deletes entries of one webhook; answers how many. */
export function deleteDeliveries(
  db: Database,
  workspaceId: number,
  webhookId: string,
  max: number,
): Promise<number> {
  return db.count(sql`
    delete from webhook_delivery
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and event_id = any (array(
      select event_id
      from webhook_delivery
      where workspace_id = ${workspaceId} and webhook_id = ${webhookId}
      limit ${max}))`)
}

/** Waits for all running publishers, so that later statements see their commits. */
export async function waitForPublishers(db: Connection, workspaceId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows(
      sql`select 1 from due where workspace_id = ${workspaceId} and lane = 'webhook' for update`,
    )
  })
}
