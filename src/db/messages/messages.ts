/** Messages for the API, and the two changes that a scheduled one allows: another time, and its cancellation. */
import { limits } from '../../contract/limits.ts'
import { fragment, part, sql, type Database } from '../connection/connect.ts'
import type { BounceClass } from '../../contract/emails.ts'

export interface MessageRow {
  id: string
  head: unknown
  subject: string
  tags: Record<string, string> | null
  messageId: string
  createdAt: Date
  scheduledAt: Date | null
  canceledAt: Date | null
  recipients: RecipientRow[]
}

/** A row of a page that may have been cut. */
export interface PageRow {
  /** Rows that the page had before it was cut at its bytes. */
  found: number
}

/** As JSON of the database: times are RFC 3339 texts. */
export interface RecipientRow {
  email: string
  kind: 'to' | 'cc' | 'bcc'
  status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  error: string | null
  bounce: BounceClass | null
  state: 'pending' | 'leased' | 'in_doubt' | 'settled'
  attempts: number
  doubts: number
  /** When its hand-off last ended without an answer. */
  doubtedAt: string | null
  nextAt: string | null
  response: string | null
  /** When its hand-off ended for good. */
  settledAt: string | null
  sentAt: string | null
  deliveredAt: string | null
  deliveredBy: string | null
  openedAt: string | null
  clickedAt: string | null
}

export interface MessageFilter {
  status: string | null
  /** Lower-cased address. */
  recipient: string | null
  tagName: string | null
  tagValue: string | null
  /** The pieces of the tag in the search index; empty without a tag. */
  tagGrams: readonly number[]
  /** RFC 3339. */
  since: string | null
  until: string | null
}

/** A position in the list: the entry with this time and id. */
export interface MessagePlace {
  at: string
  id: string
}

/** Before every identifier. */
const firstId = '00000000-0000-0000-0000-000000000000'

/** How many of the newest messages are read before those that an index finds: common ones are found among them. */
const windowSize = 1_000
/** What the index finds for a tag may be a fifth of all messages: a page of one in a hundred is found among these. */
const taggedWindowSize = 5_000

/** The index that finds the messages which can pass a filter; null: there is none, and all are read, newest first. */
type Lead = 'recipient' | 'tag' | 'wrong' | 'queued' | 'sent'

function leadOf(filter: MessageFilter): Lead | null {
  if (filter.recipient !== null) return 'recipient'
  if (filter.tagName !== null && filter.tagGrams.length > 0) return 'tag'
  if (filter.status === null || filter.status === 'delivered') return null
  return filter.status === 'queued' || filter.status === 'sent' ? filter.status : 'wrong'
}

/**
 * Bytes of a message as a list reads it. Stored sizes are known without reading the values, but large tags are stored compressed, up to
 * a hundredfold: their text is measured. Tags that only older versions let in are too large to measure: such an entry is a page of its own.
 */
const bytesOfMessage = fragment`
        500 + pg_column_size(m.head) + octet_length(m.subject)
          + case when pg_column_size(m.tags) > 32768 then ${limits.pageBytesMax}::bigint
            when pg_column_size(m.tags) > 2000 then octet_length(m.tags::text) else coalesce(pg_column_size(m.tags), 0) end + (
          select sum(300 + coalesce(octet_length(r.error), 0) + coalesce(octet_length(r.response), 0))
          from recipient r where r.workspace_id = m.workspace_id and r.message_id = m.id)`

/** The columns of a MessageRow, of a message `m` with `recipients`. */
const messageColumns = fragment`m.id, m.head, m.subject, m.tags, m.message_id as "messageId", m.created_at as "createdAt",
      m.scheduled_at as "scheduledAt", m.canceled_at as "canceledAt", r.recipients`

const recipientsAsJson = fragment`jsonb_agg(jsonb_build_object('email', r.email, 'kind', r.kind, 'status', r.status, 'error', r.error, 'state', r.state,
        'attempts', r.attempts, 'doubts', r.doubts, 'doubtedAt', r.doubted_at, 'nextAt', r.next_at, 'response', r.response, 'sentAt', r.sent_at, 'settledAt', r.settled_at, 'deliveredAt', r.delivered_at,
        'bounce', r.bounce, 'deliveredBy', r.delivered_by, 'openedAt', r.opened_at, 'clickedAt', r.clicked_at) order by r.position)`

/** The status of a message with the recipients `r`: complained, bounced or failed of any, in this order, else the least advanced. */
export const statusOfMessage = fragment`
        case when bool_or(r.status = 'complained') then 'complained' when bool_or(r.status = 'bounced') then 'bounced'
          when bool_or(r.status = 'failed') then 'failed' when bool_or(r.status = 'queued') then 'queued'
          when bool_or(r.status = 'sent') then 'sent' else 'delivered' end`

/**
 * Messages that pass the filter, newest first from before a place on (or, `newer`, the ones just above it, nearest last).
 * The status is the message's: complained, bounced or failed of any recipient, in this order, else the least advanced.
 *
 * 1. `near`: the newest are looked through, a window of them where an index could name the rest. Of its two lists, one for
 *    each direction, the other is empty, so that the limit takes the nearest.
 * 2. `far`, when those were not enough: all that the index names. The search index names tags with their time (`far_tagged`).
 * 3. `fitting`: of these the first whose bytes fit a page, and one at least. Only they are read.
 */
export function messagePage(
  db: Database,
  workspaceId: number,
  filter: MessageFilter,
  page: { max: number; before: MessagePlace | null; after: MessagePlace | null },
): Promise<(MessageRow & PageRow)[]> {
  const lead = leadOf(filter)
  const window = lead === null ? null : lead === 'tag' ? taggedWindowSize : windowSize
  const upwards = page.after !== null
  const from = { at: page.after?.at ?? '-infinity', id: page.after?.id ?? firstId }
  const to = { at: page.before?.at ?? 'infinity', id: page.before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  const since = filter.since ?? '-infinity'
  const until = filter.until ?? 'infinity'
  // One bound at each end: of two, an index scan may begin at the wider one, and pass all messages in between.
  const between = part`(m.created_at, m.id) > (greatest(${from.at}::timestamptz, ${since}::timestamptz),
             case when ${since}::timestamptz > ${from.at}::timestamptz then ${firstId}::uuid else ${from.id}::uuid end)
           and (m.created_at, m.id) < (least(${to.at}::timestamptz, ${until}::timestamptz),
             case when ${until}::timestamptz <= ${to.at}::timestamptz then ${firstId}::uuid else ${to.id}::uuid end)`
  const tag = filter.tagName === null || filter.tagValue === null ? null : JSON.stringify({ [filter.tagName]: filter.tagValue })
  return db.rows<MessageRow & PageRow>(sql`
    with near as materialized (
      select w.id, w.created_at from (
        (select m.id, m.created_at, m.tags from message m
         where m.workspace_id = ${workspaceId} and not m.notice and not ${upwards}::boolean
           and ${between}
         order by m.created_at desc, m.id desc limit ${window}::int)
        union all
        (select m.id, m.created_at, m.tags from message m
         where m.workspace_id = ${workspaceId} and not m.notice and ${upwards}::boolean
           and ${between}
         order by m.created_at, m.id limit ${window}::int)
      ) w
      where (${filter.recipient}::text is null or (
          select r.message_id from recipient r
          where r.workspace_id = ${workspaceId} and r.message_id = w.id and r.address_key = ${filter.recipient} limit 1) is not null)
        and (${filter.tagName}::text is null or coalesce(case when ${tag}::jsonb is null then w.tags ? ${filter.tagName} else w.tags @> ${tag}::jsonb end, false))
        and (${filter.status}::text is null or ${filter.status} = (
          select ${statusOfMessage} from recipient r where r.workspace_id = ${workspaceId} and r.message_id = w.id))
      limit ${page.max}
    ), reach as materialized (
      select ${lead}::text is not null and (select count(*) from near) < ${page.max} as further
    ), tagged as materialized (
      select message_id as id, at from message_search
      -- True of the workspace rather than by it, which keeps the primary key out: its rows may be millions.
      where ${lead} = 'tag' and (select further from reach) and grams @> ${filter.tagGrams}::int[] and (workspace_id = ${workspaceId}) is true
      union
      -- What the index may lack.
      select m.id, m.created_at from message m
      where ${lead} = 'tag' and (select further from reach) and m.workspace_id = ${workspaceId} and not m.notice
        and m.created_at >= coalesce((select sure_to from message_search_mark where workspace_id = ${workspaceId}), '-infinity')
    ), named as materialized (
      select r.message_id as id from recipient r
      where ${lead} = 'recipient' and (select further from reach) and r.workspace_id = ${workspaceId} and r.address_key = ${filter.recipient}
      union
      select r.message_id from recipient r
      where ${lead} = 'wrong' and (select further from reach) and r.workspace_id = ${workspaceId} and r.status = ${filter.status}
        and r.status in ('bounced', 'complained', 'failed')
      union
      select r.message_id from recipient r
      where ${lead} = 'queued' and (select further from reach) and r.workspace_id = ${workspaceId} and r.lane in ('transactional', 'held')
        and r.state <> 'settled' and r.status = 'queued'
      union
      select r.message_id from recipient r
      where ${lead} = 'sent' and (select further from reach) and r.workspace_id = ${workspaceId} and r.status = 'sent'
    ), far_tagged as materialized (
      select m.id, m.created_at from (
        -- In the order of the page, so that messages are looked up only until it is full.
        select id from tagged
        where (at, id) > (${from.at}::timestamptz, ${from.id}::uuid) and (at, id) < (${to.at}::timestamptz, ${to.id}::uuid)
          and at >= ${since}::timestamptz and at < ${until}::timestamptz
        order by case when ${upwards} then at end, case when ${upwards} then id end, at desc, id desc
      ) n
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where not m.notice
        and coalesce(case when ${tag}::jsonb is null then m.tags ? ${filter.tagName} else m.tags @> ${tag}::jsonb end, false)
        and (${filter.status}::text is null or ${filter.status} = (
          select ${statusOfMessage} from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id))
      limit ${page.max}
    ), far as materialized (
      select m.id, m.created_at from named n
      -- One look-up by key each: a join might read every message.
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where not m.notice
        and (m.created_at, m.id) > (${from.at}::timestamptz, ${from.id}::uuid) and (m.created_at, m.id) < (${to.at}::timestamptz, ${to.id}::uuid)
        and m.created_at >= ${since}::timestamptz and m.created_at < ${until}::timestamptz
        and (${filter.tagName}::text is null or coalesce(case when ${tag}::jsonb is null then m.tags ? ${filter.tagName} else m.tags @> ${tag}::jsonb end, false))
        and (${filter.status}::text is null or ${filter.status} = (
          select ${statusOfMessage} from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id))
      order by case when ${upwards} then m.created_at end, case when ${upwards} then m.id end, m.created_at desc, m.id desc
      limit ${page.max}
    ), page as (
      select id from near where not (select further from reach) union all select id from far_tagged union all select id from far
    ), measured as materialized (
      select m.id, m.created_at,
        ${bytesOfMessage} as bytes
      from page p join message m on m.workspace_id = ${workspaceId} and m.id = p.id
    ), fitting as materialized (
      select id, found from (
        select id, count(*) over () as found, row_number() over nearest as place, sum(bytes) over nearest as bytes from measured
        window nearest as (
          order by case when ${upwards} then created_at end, case when ${upwards} then id end, created_at desc, id desc rows unbounded preceding)
      ) summed where place = 1 or bytes <= ${limits.pageBytesMax}
    )
    select ${messageColumns}, p.found::int as found
    from fitting p join message m on m.workspace_id = ${workspaceId} and m.id = p.id
    cross join lateral (
      select ${recipientsAsJson} as recipients
      from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id
    ) r
    order by m.created_at desc, m.id desc`)
}

/** Bytes of these messages as `messagesById` reads them. */
export function messageBytes(db: Database, workspaceId: number, ids: string[]): Promise<{ id: string; bytes: number }[]> {
  return db.rows(sql`
    select m.id, (${bytesOfMessage})::int as bytes
    from message m where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[])`)
}

/** These messages, in no order, without those of other workspaces and without notices. */
export function messagesById(db: Database, workspaceId: number, ids: string[]): Promise<MessageRow[]> {
  return db.rows<MessageRow>(sql`
    select ${messageColumns}
    from message m cross join lateral (
      select ${recipientsAsJson} as recipients
      from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id
    ) r
    where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[]) and not m.notice`)
}

export async function messageBody(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<{ html: string | null; text: string | null }> {
  const [row] = await db.rows<{ html: string | null; text: string | null }>(sql`
    select html, text from message_body where workspace_id = ${workspaceId} and message_id = ${id}`)
  return row ?? { html: null, text: null }
}

/**
 * Locks the ledger rows of a scheduled message. False: a hand-off of it has begun, nothing of it is pending any more,
 * or it is not scheduled. Recipients that were suppressed since are finalized, and the others may still change.
 */
export async function lockUnbegun(db: Database, workspaceId: number, id: string): Promise<boolean> {
  const rows = await db.rows<{ waits: boolean; begun: boolean; scheduled: boolean }>(sql`
    select r.state = 'pending' as waits, r.attempts > 0 as begun, m.scheduled_at is not null as scheduled
    from recipient r join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.message_id = ${id}
    order by r.position for update of r`)
  return rows.some((row) => row.waits) && rows.every((row) => row.scheduled && !row.begun)
}

/** Sets another time for the pending rows of a message that `lockUnbegun` locked. */
export async function rescheduleMessage(db: Database, workspaceId: number, id: string, scheduledAt: string): Promise<void> {
  await db.count(sql`
    with moved as (
      update message set scheduled_at = ${scheduledAt} where workspace_id = ${workspaceId} and id = ${id}
    ), ledger as (
      update recipient set next_at = greatest(${scheduledAt}, facteur_now()) where workspace_id = ${workspaceId} and message_id = ${id} and state = 'pending'
    )
    insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'transactional', ${scheduledAt})
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at`)
}

/**
 * Cancels the pending rows of a message that `lockUnbegun` locked, and gives its quota back to the month that was
 * debited.
 */
export async function cancelMessage(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    with ended as (
      update message set canceled_at = facteur_now() where workspace_id = ${workspaceId} and id = ${id} returning quota_month
    ), ledger as (
      update recipient set state = 'settled', status = 'failed', error = 'cancelled', cause = 'cancelled', fence = fence + 1
      where workspace_id = ${workspaceId} and message_id = ${id} and state = 'pending' returning position
    )
    update quota_usage q set used = greatest(0, q.used - (select count(*) from ledger))
    from ended, workspace w
    where w.id = ${workspaceId} and q.workspace_id = coalesce(w.quota_of, w.id) and q.month = ended.quota_month`)
}
