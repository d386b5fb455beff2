/**
 * Searches the journal of a webhook by status, type and time, reads one entry whole, and counts the
 * deliveries of a replay.
 */
import type { EventType } from '../../contract/events.ts'
import type { DeliveryStatus } from '../../contract/webhooks.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { idsStoredFrom, storedSince } from '../retention/stored-since.ts'
import {
  entryColumns,
  eventsOf,
  type DeliveryEntry,
  type DeliveryRow,
  type EventRange,
  type RangeProgress,
} from './webhook-journal.ts'

export interface JournalFilter {
  /** Null, here and below: any. */
  status: DeliveryStatus | null
  type: EventType | null
  from: string | null
  to: string | null
}

/**
 * Entries of a page, and the last one that was read where the search stopped before the page was
 * full.
 */
export interface JournalPage {
  rows: DeliveryEntry[]
  stoppedAt: { eventId: string; at: Date } | null
}

/** Entries that one page reads, where not all of them match. */
const scannedRowsMax = 2_000

/**
 * Newest first, from before an event on. Rare matches among very many entries take several pages,
 * each as quick as the others.
 */
export async function searchJournal(
  db: Database,
  workspaceId: number,
  webhookId: string,
  { filter, max, before }: { filter: JournalFilter; max: number; before: string | null },
): Promise<JournalPage> {
  const scannedMax = filter.type === null && filter.status !== 'delivered' ? max : scannedRowsMax
  const location = { before, from: filter.from, to: filter.to, scannedMax }
  const which = ofStatus(filter.status ?? 'all')
  const result = await scanRows(db, workspaceId, webhookId, { ...location, which })
  const fitting = result.filter(
    ({ status, type }) => (filter.status ?? status) === status && (filter.type ?? type) === type,
  )
  const last = result.at(-1)
  const wasCut = result.length === scannedMax && fitting.length < max
  return {
    rows: await entriesOf(
      db,
      workspaceId,
      webhookId,
      fitting.slice(0, max).map(({ eventId }) => eventId),
    ),
    stoppedAt: wasCut && last ? { eventId: last.eventId, at: last.createdAt } : null,
  }
}

interface Scanned {
  eventId: string
  status: DeliveryStatus
  type: EventType
  createdAt: Date
}

interface ScanFrom {
  before: string | null
  from: string | null
  to: string | null
  scannedMax: number
  /** A condition besides. */
  which: Fragment
}

function scanRows(
  db: Database,
  workspaceId: number,
  webhookId: string,
  from: ScanFrom,
): Promise<Scanned[]> {
  return db.rows<Scanned>(sql`
    select event_id, status, type, created_at
    from (${scanned(workspaceId, webhookId, from)}) l order by event_id desc`)
}

const scanned = (
  workspaceId: number,
  webhookId: string,
  { before, from, to, scannedMax, which }: ScanFrom,
): Fragment => part`
    select event_id, status, type, created_at from webhook_delivery
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId}${which}
      and event_id < (select least(coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
                                   facteur_events_from(coalesce(${to}::timestamptz, '9999-01-01'))))
      and event_id >= (select facteur_events_from(greatest(${from}::timestamptz,
      facteur_stored_since(${workspaceId}, ${storedSince.events}))))
    order by event_id desc limit ${scannedMax}`

/** How many of the newest deliveries of each status match, and how many were read. */
export function countJournal(
  db: Database,
  workspaceId: number,
  webhookId: string,
  { filter: { type, from, to }, max }: { filter: JournalFilter; max: number },
): Promise<{ status: DeliveryStatus | 'all'; count: number; examined: number }[]> {
  const counted = (status: DeliveryStatus | 'all'): Fragment => {
    const range = { before: null, from, to, scannedMax: max, which: ofStatus(status) }
    return part`
    select ${status}::text as status, count(*)::int as examined,
      (count(*) filter (where (${type}::text is null or l.type = ${type})
        and ${status}::text in ('all', l.status)))::int as count
    from (${scanned(workspaceId, webhookId, range)}) l`
  }
  return db.rows(sql`
    select status, count, examined from (${counted('all')} union all ${counted('delivered')}
      union all ${counted('pending')} union all ${counted('failed')}) of_status`)
}

/** Undelivered entries have an index of their own. */
const ofStatus = (status: DeliveryStatus | 'all'): Fragment =>
  status === 'all' || status === 'delivered'
    ? part``
    : part` and status <> 'delivered' and status = ${status}`

/** These entries, newest first. */
function entriesOf(
  db: Database,
  workspaceId: number,
  webhookId: string,
  eventIds: string[],
): Promise<DeliveryEntry[]> {
  return db.rows<DeliveryEntry>(sql`
    select ${entryColumns}
    from ${wantedEntries(workspaceId, webhookId, eventIds)}`)
}

const wantedEntries = (
  workspaceId: number,
  webhookId: string,
  eventIds: string[],
): Fragment => part`
    unnest(${eventIds}::uuid[]) as wanted (id)
    cross join lateral (
      select * from webhook_delivery
      where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and event_id = wanted.id
        and event_id >= ${idsStoredFrom(workspaceId, 'events')} offset 0) d
    order by d.event_id desc`

/** The same with the requests and responses of each attempt. */
export function deliveriesOf(
  db: Database,
  workspaceId: number,
  webhookId: string,
  eventIds: string[],
): Promise<DeliveryRow[]> {
  return db.rows<DeliveryRow>(sql`
    select ${entryColumns}, response_body, attempt_log
    from ${wantedEntries(workspaceId, webhookId, eventIds)}`)
}

export interface EventRow {
  id: string
  type: EventType
  test: boolean
  body: string
  createdAt: Date
}

export function eventById(db: Database, workspaceId: number, id: string): Promise<EventRow | null> {
  return db.row<EventRow>(sql`
    select id, type, test, body, created_at from event
    where workspace_id = ${workspaceId} and id = ${id}
      and id >= ${idsStoredFrom(workspaceId, 'events')}`)
}

/** How many deliveries `replayRange` would send again, of the events that one statement reads. */
export function countRange(
  db: Database,
  workspaceId: number,
  webhookId: string,
  range: EventRange,
): Promise<{ count: number } & RangeProgress> {
  return db.onlyRow<{ count: number } & RangeProgress>(sql`
    with ${eventsOf(workspaceId, webhookId, range)}, status_of as (
      select f.id, d.status, d.is_leased from matching f
      left join lateral (
        select status, is_leased from webhook_delivery
        where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and event_id = f.id offset 0) d
          on true
    )
    select (count(*) filter (where status is null
      or (not is_leased and (status = 'failed' or (${range.all} and status = 'delivered')))))::int as count,
      count(*)::int as scanned_count, (select id from matching order by id desc limit 1) as last
    from status_of`)
}
