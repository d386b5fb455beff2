/** Pages of single messages, newest first, by the filters of `GET /emails`. */
import { limits } from '../../contract/limits.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import {
  clocksDiffer,
  conditionsOf,
  type AskedMessages,
  type MessageFilter,
} from './message-filter.ts'
import { messagesStoredSince } from '../retention/stored-since.ts'
import { farOf, leadOf, pageOfNamed, windowOf } from './message-leads.ts'
import type { LogPosition } from './message-log.ts'
import {
  bytesOfM,
  messageColumns,
  recipientsAsJson,
  statusByR,
  type MessageRow,
} from './messages.ts'

/** A row of a page that may have been cut. */
export interface PageRow {
  /** Rows that the page had before it was cut at its bytes. */
  uncutCount: number
  /** Older messages may have expired. Null if nobody has limited them. */
  storedSince: Date | null
}

/**
 * Messages that pass the filter, newest first from before a place on (or, upwards, the ones just
 * above it, nearest last): of these the first whose bytes fit a page, and one at least. Only they
 * are read. `ids`: only of these messages.
 */
export function messagePage(
  db: Database,
  workspaceId: number,
  filter: MessageFilter,
  page: AskedMessages,
  ids: readonly string[] | null = null,
): Promise<(MessageRow & PageRow)[]> {
  const upwards = page.after !== null
  const request =
    ids === null
      ? pageOf(workspaceId, filter, page)
      : pageOfNamed(workspaceId, { filter, page, conditions: conditionsOf(filter, page) }, ids)
  return db.rows<MessageRow & PageRow>(sql`
    with ${request}, measured as materialized (
      select m.id, m.created_at,
        ${bytesOfM} as bytes
      from page p join message m on m.workspace_id = ${workspaceId} and m.id = p.id
    ), fitting as materialized (
      select id, uncut_count from (
        select id, count(*) over () as uncut_count, row_number() over nearest as place,
          sum(bytes) over nearest as bytes
        from measured
        window nearest as (
          order by case when ${upwards} then created_at end, case when ${upwards} then id end,
            created_at desc, id desc
          rows unbounded preceding)
      ) summed where place = 1 or bytes <= ${limits.pageBytesMax}
    )
    select ${messageColumns}, p.uncut_count::int as uncut_count,
      (${messagesStoredSince(workspaceId)}) as stored_since
    from fitting p join message m on m.workspace_id = ${workspaceId} and m.id = p.id
    cross join lateral (
      select ${recipientsAsJson} as recipients
      from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id
    ) r
    order by m.created_at desc, m.id desc`)
}

/** The places of the same messages, whatever their bytes. */
export function messagePositions(
  db: Database,
  workspaceId: number,
  filter: MessageFilter,
  page: AskedMessages,
): Promise<LogPosition[]> {
  return db.rows<LogPosition>(sql`
    with ${pageOf(workspaceId, filter, page)}
    select p.id, to_char(p.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from page p
    order by p.created_at desc, p.id desc`)
}

/**
 * `page`: the messages of a page, as parts of a statement. The status is the message's: complained,
 * bounced or failed of any recipient, in this order, else the least advanced.
 *
 * 1. `near`: the newest are looked through, a window of them where an index could name the rest. Of
 *    the two lists of `newest`, one for each direction, the other is empty, so that the limit takes
 *    the nearest.
 * 2. `far`, when those were not enough: those that the index names.
 */
function pageOf(workspaceId: number, filter: MessageFilter, page: AskedMessages): Fragment {
  const lead = leadOf(filter)
  const window = windowOf(lead, page.max)
  const upwards = page.after !== null
  const hasOutcome = filter.recipient !== null || filter.status !== null
  const conditions = conditionsOf(filter, page)
  return part`
    newest as materialized (
      (select m.id, m.created_at, m.tags from message m
       where m.workspace_id = ${workspaceId} and not m.notice and not ${upwards}::boolean
         and ${conditions.between} and (${lead}::text is not null or ${conditions.tagged})
       order by m.created_at desc, m.id desc limit ${window}::int)
      union all
      (select m.id, m.created_at, m.tags from message m
       where m.workspace_id = ${workspaceId} and not m.notice and ${upwards}::boolean
         and ${conditions.between} and (${lead}::text is not null or ${conditions.tagged})
       order by m.created_at, m.id limit ${window}::int)
    ), passing as materialized (
      -- Identifiers follow their times: one range of the key has the recipients of all these messages,
      -- where each look-up would cost the depth of the index. A message with a time of long before or
      -- after its identifier does not widen the range.
      select r.message_id from recipient r
      where ${hasOutcome}::boolean and r.workspace_id = ${workspaceId}
        and r.message_id >= (select id from newest
          where id >= facteur_events_from((select min(created_at) from newest) - ${clocksDiffer})
          order by id
          limit 1)
        and r.message_id <= (select id from newest
          where id < facteur_events_from((select max(created_at) from newest) + ${clocksDiffer})
          order by id desc
          limit 1)
      group by r.message_id
      having (${filter.recipient}::text is null or bool_or(r.address_key = ${filter.recipient}))
        and (${filter.status}::text is null or ${filter.status} = ${statusByR})
    ), near as materialized (
      select m.id, m.created_at from newest m
      where ${conditions.tagged} and (not ${hasOutcome}::boolean or m.id in (select message_id from passing))
      limit ${page.max}
    ), reach as materialized (
      select ${lead}::text is not null and (select count(*) from near) < ${page.max} as further
    ), ${farOf(lead, workspaceId, { filter, page, conditions })}, page as (
      select id, created_at
      from near
      where not (select further from reach)
      union all
      select id, created_at
      from far)`
}
