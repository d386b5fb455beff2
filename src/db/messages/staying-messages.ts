/**
 * Messages that are older than the limit of their class and have not expired, since they are not
 * finished or were finished lately: those that were scheduled far ahead, retried, or decided by the
 * operator.
 */
import { part } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { isFinishedSince, messagesStoredSince } from '../retention/stored-since.ts'
import { clocksDiffer } from './message-filter.ts'
import type { LogPosition } from './message-log.ts'

/**
 * Older messages that are looked at, nearest first: expired ones are deleted each night, and lists
 * must not read all of a day. Those that still wait, and those to one address, are found beyond
 * that.
 */
const scannedMax = 2_000

/** Before every identifier. */
const firstId = '00000000-0000-0000-0000-000000000000'

export interface AskedStaying {
  /** Messages from this moment on are left out: none of them has expired. */
  since: Date
  /** Only older ones. */
  before: LogPosition | null
  /** Only those from before this time (RFC 3339). */
  until: string | null
  /** Only newer ones, the nearest first. */
  after: LogPosition | null
  /** Only those to this address. Null means to any. */
  recipient: string | null
}

/** Their identifiers, in no order. */
export function stayingMessages(
  db: Database,
  workspaceId: number,
  { since, before, until, after, recipient }: AskedStaying,
): Promise<string[]> {
  const limit = part`${since}::timestamptz`
  // One bound: of two, an index scan may begin at the wider one.
  const endMs = Math.min(since.getTime(), until === null ? Infinity : Date.parse(until))
  const end =
    before && Date.parse(before.at) < endMs
      ? before
      : { at: new Date(endMs).toISOString(), id: firstId }
  return db.column<string>(sql`
    with looked as materialized (
      (select m.id from message m
       where m.workspace_id = ${workspaceId} and not m.notice and ${after?.at ?? null}::text is null
         and ${recipient}::text is null
         and (m.created_at, m.id) < (${end.at}::timestamptz, ${end.id}::uuid)
       order by m.created_at desc, m.id desc limit ${scannedMax})
      union
      (select m.id from message m
       where m.workspace_id = ${workspaceId} and not m.notice and ${recipient}::text is null
         and m.created_at < ${limit}
         and (m.created_at, m.id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid)
       order by m.created_at, m.id limit ${scannedMax})
      union
      (select message_id from recipient
       where workspace_id = ${workspaceId} and lane in ('transactional', 'held') and state <> 'settled'
         and message_id < facteur_events_from(${limit} + ${clocksDiffer}) limit ${scannedMax})
      union
      (select message_id from recipient
       where workspace_id = ${workspaceId} and address_key = ${recipient}
         and message_id < facteur_events_from(${limit} + ${clocksDiffer})
       order by message_id desc limit ${scannedMax})
    )
    select m.id from looked m
    cross join lateral (
      select created_at from message
      where workspace_id = ${workspaceId} and id = m.id
      limit 1) c
    where c.created_at < ${limit} and ${isFinishedSince(workspaceId, limit)}`)
}

/** The moment before which single messages may have expired. Null if nobody has limited them. */
export function messageLimit(db: Database, workspaceId: number): Promise<Date | null> {
  return db.value<Date>(sql`select (${messagesStoredSince(workspaceId)}) as since`)
}
