/**
 * Messages for the API, and the two changes that a scheduled one allows: another time, and its
 * cancellation.
 */
import { limits } from '../../contract/limits.ts'
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
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

/**
 * Bytes of a message as a list reads it. Stored sizes are known without reading the values, but
 * large tags are stored compressed, up to a hundredfold: their text is measured. Tags that only
 * older versions let in are too large to measure: such an entry is a page of its own.
 */
export const bytesOfM = fragment`
        500 + pg_column_size(m.head) + octet_length(m.subject)
          + case when pg_column_size(m.tags) > 32768 then ${limits.pageBytesMax}::bigint
            when pg_column_size(m.tags) > 2000 then octet_length(m.tags::text)
            else coalesce(pg_column_size(m.tags), 0) end + (
          select sum(300 + coalesce(octet_length(r.error), 0) + coalesce(octet_length(r.response), 0))
          from recipient r where r.workspace_id = m.workspace_id and r.message_id = m.id)`

/** The columns of a MessageRow, of a message `m` with `recipients`. */
export const messageColumns = fragment`m.id, m.head, m.subject, m.tags, m.message_id, m.created_at,
      m.scheduled_at, m.canceled_at, r.recipients`

export const recipientsAsJson = fragment`
      jsonb_agg(jsonb_build_object(
        'email', r.email, 'kind', r.kind, 'status', r.status, 'error', r.error, 'state', r.state,
        'attempts', r.attempts, 'doubts', r.doubts, 'doubtedAt', r.doubted_at, 'nextAt', r.next_at,
        'response', r.response, 'sentAt', r.sent_at, 'settledAt', r.settled_at, 'deliveredAt', r.delivered_at,
        'bounce', r.bounce, 'deliveredBy', r.delivered_by, 'openedAt', r.opened_at, 'clickedAt', r.clicked_at)
        order by r.position)`

/**
 * The status of a message with the recipients `r`: complained, bounced or failed of any, in this
 * order, else the least advanced.
 */
export const statusByR = fragment`
        case when bool_or(r.status = 'complained') then 'complained'
          when bool_or(r.status = 'bounced') then 'bounced'
          when bool_or(r.status = 'failed') then 'failed'
          when bool_or(r.status = 'queued') then 'queued'
          when bool_or(r.status = 'sent') then 'sent'
          else 'delivered' end`

/** Bytes of these messages as `messagesById` reads them. */
export function messageBytes(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<{ id: string; bytes: number }[]> {
  return db.rows(sql`
    select m.id, (${bytesOfM})::int as bytes
    from message m where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[])`)
}

/** These messages, in no order, without those of other workspaces and without notices. */
export function messagesById(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<MessageRow[]> {
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
 * Locks the ledger rows of a scheduled message. False means a hand-off of it has started, nothing
 * of it is pending any more, or it is not scheduled. Recipients that were suppressed since are
 * finalized, and the others may still change.
 */
export async function lockUnstarted(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<boolean> {
  const rows = await db.rows<{ waits: boolean; started: boolean; scheduled: boolean }>(sql`
    select r.state = 'pending' as waits, r.attempts > 0 as started, m.scheduled_at is not null as scheduled
    from recipient r join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.message_id = ${id}
    order by r.position for update of r`)
  return rows.some((row) => row.waits) && rows.every((row) => row.scheduled && !row.started)
}

/** Sets another time for the pending rows of a message that `lockUnstarted` locked. */
export async function rescheduleMessage(
  db: Database,
  workspaceId: number,
  id: string,
  scheduledAt: string,
): Promise<void> {
  await db.count(sql`
    with moved as (
      update message set scheduled_at = ${scheduledAt} where workspace_id = ${workspaceId} and id = ${id}
    ), ledger as (
      update recipient
      set next_at = greatest(${scheduledAt}, facteur_now())
      where workspace_id = ${workspaceId} and message_id = ${id} and state = 'pending'
    ), hint as (
      insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'transactional', ${scheduledAt})
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select 1`)
}

/**
 * Cancels the pending rows of a message that `lockUnstarted` locked, and gives its quota back to
 * the month that was debited.
 */
export async function cancelMessage(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    with ended as (
      update message
      set canceled_at = facteur_now()
      where workspace_id = ${workspaceId} and id = ${id}
      returning quota_month
    ), ledger as (
      update recipient
      set state = 'settled', status = 'failed', error = 'cancelled', cause = 'cancelled', fence = fence + 1
      where workspace_id = ${workspaceId} and message_id = ${id} and state = 'pending' returning position
    )
    update quota_usage q set used = greatest(0, q.used - (select count(*) from ledger))
    from ended, workspace w
    where w.id = ${workspaceId} and q.workspace_id = coalesce(w.quota_of, w.id)
      and q.month = ended.quota_month`)
}
