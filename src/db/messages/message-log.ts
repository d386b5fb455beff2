/**
 * Positions of single messages in the log, newest first: finds those that pass a filter, by the
 * cheapest of several ways (docs/decisions/0021).
 */
import type { EmailStatus } from '../../contract/emails.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { isOfWorkspaceByText } from './message-search.ts'
import { statusByR } from './messages.ts'

/**
 * A line's position in the log: its time as RFC 3339 to the microsecond, and its message or
 * campaign.
 */
export interface LogPosition {
  at: string
  id: string
}

/** The filters of a page, without texts. */
export interface LogPage {
  max: number
  status: string | null
  /**
   * Only older ones. Null means from the newest on. A time that ends the search is such a position
   * too: of two, an index would begin at either.
   */
  before: LogPosition | null
  /** RFC 3339. */
  since: string | null
}

/** Patterns of LIKE, all of which must hold, and the pieces that the index has of them. */
export interface LogNeedle {
  address: string | null
  words: string[]
  tag: string | null
  grams: number[]
}

const end: LogPosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/**
 * Of the newest `window` messages those of this status; a message's status is the worst of its
 * recipients', or the least advanced.
 */
export function newestOfStatus(
  db: Database,
  workspaceId: number,
  page: LogPage,
  window: number,
): Promise<LogPosition[]> {
  const before = page.before ?? end
  return db.rows<LogPosition>(sql`
    select w.id, to_char(w.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from (
      select m.id, m.created_at from message m
      where m.workspace_id = ${workspaceId} and not m.notice
        and (m.created_at, m.id) < (${before.at}::timestamptz, ${before.id}::uuid)
        and m.created_at >= ${page.since ?? '-infinity'}::timestamptz
      order by m.created_at desc, m.id desc limit ${window}
    ) w
    where ${page.status}::text is null or ${page.status} = (
      select ${statusByR}
      from recipient r
      where r.workspace_id = ${workspaceId} and r.message_id = w.id)
    limit ${page.max}`)
}

/** The same for messages that a text matches. */
export function newestMatching(
  db: Database,
  workspaceId: number,
  needle: LogNeedle,
  page: LogPage,
  window: number,
): Promise<LogPosition[]> {
  const before = page.before ?? end
  return db.rows<LogPosition>(sql`
    select w.message_id as id, to_char(w.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from (
      select message_id, at, addresses, subject, tags from message_search
      where workspace_id = ${workspaceId}
        and (at, message_id) < (${before.at}::timestamptz, ${before.id}::uuid)
        and at >= ${page.since ?? '-infinity'}::timestamptz
      order by at desc, message_id desc limit ${window}
    ) w
    where (${needle.address}::text is null or w.addresses like ${needle.address})
      and w.subject like all (${needle.words}::text[])
      and (${needle.tag}::text is null or w.tags like ${needle.tag})
      and case when ${page.status}::text is null then true else ${page.status} = (
        select ${statusByR}
        from recipient r
        where r.workspace_id = ${workspaceId} and r.message_id = w.message_id) end
    limit ${page.max}`)
}

/**
 * The position at the end of a window of messages. Null if the window reaches the end of the log.
 */
export function endOfLogWindow(
  db: Database,
  workspaceId: number,
  page: LogPage,
  window: number,
): Promise<LogPosition | null> {
  const before = page.before ?? end
  return db.row<LogPosition>(sql`
    select id, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from message
    where workspace_id = ${workspaceId} and not notice
      and (created_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
      and created_at >= ${page.since ?? '-infinity'}::timestamptz
    order by created_at desc, id desc offset ${window - 1} limit 1`)
}

/** The same for messages in the index. */
export function endOfIndexed(
  db: Database,
  workspaceId: number,
  page: LogPage,
  window: number,
): Promise<LogPosition | null> {
  const before = page.before ?? end
  return db.row<LogPosition>(sql`
    select s.message_id as id, to_char(s.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from message_search s
    where workspace_id = ${workspaceId} and (at, message_id) < (${before.at}::timestamptz, ${before.id}::uuid)
      and at >= ${page.since ?? '-infinity'}::timestamptz
    -- The column of the table: its name alone would be the answered text.
    order by s.at desc, s.message_id desc offset ${window - 1} limit 1`)
}

/** How many of one in 128 messages match, up to `max`: whether the text is common. */
export function countMatching(
  db: Database,
  workspaceId: number,
  needle: LogNeedle,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    select count(*) as count from (
      select 1 from message_search
      where grams @> ${needle.grams}::int[] and (get_byte(uuid_send(message_id), 15) & 127) = 0
        and ${isOfWorkspaceByText(workspaceId)}
        and (${needle.address}::text is null or addresses like ${needle.address})
        and subject like all (${needle.words}::text[])
        and (${needle.tag}::text is null or tags like ${needle.tag})
      limit ${max}
    ) sample`)
}

/** Finds all matches of the index, and then the page among them: for uncommon texts. */
export function indexedMatching(
  db: Database,
  workspaceId: number,
  needle: LogNeedle,
  page: LogPage,
): Promise<LogPosition[]> {
  const before = page.before ?? end
  return db.rows<LogPosition>(sql`
    with matching as materialized (
      select message_id, at from message_search
      where grams @> ${needle.grams}::int[] and ${isOfWorkspaceByText(workspaceId)}
        and (${needle.address}::text is null or addresses like ${needle.address})
        and subject like all (${needle.words}::text[])
        and (${needle.tag}::text is null or tags like ${needle.tag})
    )
    select w.message_id as id, to_char(w.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (
      -- The times stand outside: inside, PostgreSQL would scan the primary key from one to the other.
      select * from matching
      where (at, message_id) < (${before.at}::timestamptz, ${before.id}::uuid)
        and at >= ${page.since ?? '-infinity'}::timestamptz
      order by at desc, message_id desc
    ) w
    where case when ${page.status}::text is null then true else ${page.status} = (
      select ${statusByR}
      from recipient r
      where r.workspace_id = ${workspaceId} and r.message_id = w.message_id) end
    limit ${page.max}`)
}

/** Messages with a recipient of this status, up to `max`: each status has an index. */
export function namedByStatus(
  db: Database,
  workspaceId: number,
  status: EmailStatus,
  max: number,
): Promise<string[]> {
  return db.column<string>(sql`
    (select message_id as id from recipient
     where workspace_id = ${workspaceId} and status = ${status}
       and status in ('bounced', 'complained', 'failed')
     limit ${max})
    union all
    (select message_id from recipient
     where workspace_id = ${workspaceId} and status = 'sent' and ${status} = 'sent'
     limit ${max})
    union all
    (select message_id from recipient
     where workspace_id = ${workspaceId} and status = 'delivered' and ${status} = 'delivered'
     limit ${max})
    union all
    (select message_id from recipient
     where workspace_id = ${workspaceId} and lane in ('transactional', 'held') and state <> 'settled'
       and status = 'queued' and ${status} = 'queued'
     limit ${max})`)
}

/** The page among these messages; with texts, among those that the index knows. */
export function amongNamed(
  db: Database,
  workspaceId: number,
  ids: string[],
  { needle, ...page }: LogPage & { needle: LogNeedle | null },
): Promise<LogPosition[]> {
  const before = page.before ?? end
  return db.rows<LogPosition>(sql`
    with named as materialized (
      select m.id, m.created_at from (select distinct id from unnest(${ids}::uuid[]) as t (id)) t
      -- One look-up by key each: a join might read every message.
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = t.id limit 1) m
      where not m.notice and (m.created_at, m.id) < (${before.at}::timestamptz, ${before.id}::uuid)
        and m.created_at >= ${page.since ?? '-infinity'}::timestamptz
    )
    select n.id, to_char(n.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (select * from named order by created_at desc, id desc) n
    where (not ${needle !== null}::boolean or (
        select (${needle?.address ?? null}::text is null or s.addresses like ${needle?.address ?? null})
          and s.subject like all (${needle?.words ?? []}::text[])
          and (${needle?.tag ?? null}::text is null or s.tags like ${needle?.tag ?? null})
        from message_search s
        where s.workspace_id = ${workspaceId} and s.at = n.created_at and s.message_id = n.id))
      and case when ${page.status}::text is null then true else ${page.status} = (
        select ${statusByR}
        from recipient r
        where r.workspace_id = ${workspaceId} and r.message_id = n.id) end
    limit ${page.max}`)
}
