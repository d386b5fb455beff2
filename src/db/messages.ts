/** Messages as they are read back, and the two things a person may still change of a scheduled one. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

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
  state: 'pending' | 'leased' | 'in_doubt' | 'settled'
  attempts: number
  doubts: number
  response: string | null
  sentAt: string | null
  deliveredAt: string | null
  deliveredBy: string | null
}

export interface MessageFilter {
  status: string | null
  /** Lower-cased address. */
  recipient: string | null
  tagName: string | null
  tagValue: string | null
  /** RFC 3339. */
  since: string | null
  until: string | null
}

/** A place in the list: the entry with this time and id. */
export interface MessagePlace {
  at: string
  id: string
}

/**
 * Messages that pass the filter, newest first from before a place on (or, `newer`, the ones just above it, nearest last).
 * The status is the message's: complained, bounced or failed of any recipient, in this order, else the least advanced.
 */
export function messagePage(
  db: Database,
  workspaceId: number,
  filter: MessageFilter,
  page: { most: number; before: MessagePlace | null; after: MessagePlace | null },
): Promise<MessageRow[]> {
  return db.rows<MessageRow>(sql`
    with page as (
      select m.* from message m
      where m.workspace_id = ${workspaceId}
        and (${page.before?.at ?? null}::timestamptz is null
             or (m.created_at, m.id) < (${page.before?.at ?? null}::timestamptz, ${page.before?.id ?? null}::uuid))
        and (${page.after?.at ?? null}::timestamptz is null
             or (m.created_at, m.id) > (${page.after?.at ?? null}::timestamptz, ${page.after?.id ?? null}::uuid))
        and (${filter.since}::timestamptz is null or m.created_at >= ${filter.since}::timestamptz)
        and (${filter.until}::timestamptz is null or m.created_at < ${filter.until}::timestamptz)
        and (${filter.recipient}::text is null or m.id in (
          select r.message_id from recipient r where r.workspace_id = ${workspaceId} and r.address_key = ${filter.recipient}))
        and (${filter.tagName}::text is null
             or case when ${filter.tagValue}::text is null then m.tags ? ${filter.tagName}
                     else m.tags @> jsonb_build_object(${filter.tagName}::text, ${filter.tagValue}::text) end)
        and (${filter.status}::text is null or (
          m.id in (select r.message_id from recipient r where r.workspace_id = ${workspaceId} and r.status = ${filter.status})
          and ${filter.status} = (
            select case when bool_or(r.status = 'complained') then 'complained' when bool_or(r.status = 'bounced') then 'bounced'
                        when bool_or(r.status = 'failed') then 'failed' when bool_or(r.status = 'queued') then 'queued'
                        when bool_or(r.status = 'sent') then 'sent' else 'delivered' end
            from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id)))
      order by case when ${page.after?.at ?? null}::timestamptz is not null then m.created_at end asc,
               case when ${page.after?.at ?? null}::timestamptz is not null then m.id end asc, m.created_at desc, m.id desc
      limit ${page.most}
    )
    select m.id, m.head, m.subject, m.tags, m.message_id as "messageId", m.created_at as "createdAt",
      m.scheduled_at as "scheduledAt", m.canceled_at as "canceledAt", r.recipients
    from page m cross join lateral (
      select jsonb_agg(jsonb_build_object('email', r.email, 'kind', r.kind, 'status', r.status, 'error', r.error, 'state', r.state,
        'attempts', r.attempts, 'doubts', r.doubts, 'response', r.response, 'sentAt', r.sent_at, 'deliveredAt', r.delivered_at,
        'deliveredBy', r.delivered_by) order by r.position) as recipients
      from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id
    ) r
    order by m.created_at desc, m.id desc`)
}

/** These messages, in no order; those of other workspaces are not there. */
export function messagesById(db: Database, workspaceId: number, ids: string[]): Promise<MessageRow[]> {
  return db.rows<MessageRow>(sql`
    select m.id, m.head, m.subject, m.tags, m.message_id as "messageId", m.created_at as "createdAt",
      m.scheduled_at as "scheduledAt", m.canceled_at as "canceledAt", r.recipients
    from message m cross join lateral (
      select jsonb_agg(jsonb_build_object('email', r.email, 'kind', r.kind, 'status', r.status, 'error', r.error, 'state', r.state,
        'attempts', r.attempts, 'doubts', r.doubts, 'response', r.response, 'sentAt', r.sent_at, 'deliveredAt', r.delivered_at,
        'deliveredBy', r.delivered_by) order by r.position) as recipients
      from recipient r where r.workspace_id = ${workspaceId} and r.message_id = m.id
    ) r
    where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[])`)
}

/** What a message says. */
export async function messageBody(db: Database, workspaceId: number, id: string): Promise<{ html: string | null; text: string | null }> {
  const [row] = await db.rows<{ html: string | null; text: string | null }>(sql`
    select html, text from message_body where workspace_id = ${workspaceId} and message_id = ${id}`)
  return row ?? { html: null, text: null }
}

/** Locks the ledger rows of a scheduled message that nobody has begun; false when some have begun, or it is not scheduled. */
export async function lockUnbegun(db: Database, workspaceId: number, id: string): Promise<boolean> {
  const rows = await db.rows<{ unbegun: boolean }>(sql`
    select r.state = 'pending' and r.fence = 0 and m.scheduled_at is not null as unbegun
    from recipient r join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.message_id = ${id}
    order by r.position for update of r`)
  return rows.length > 0 && rows.every((row) => row.unbegun)
}

/** Sets another time for a message whose rows `lockUnbegun` locked. */
export async function rescheduleMessage(db: Database, workspaceId: number, id: string, scheduledAt: string): Promise<void> {
  await db.count(sql`
    with moved as (
      update message set scheduled_at = ${scheduledAt} where workspace_id = ${workspaceId} and id = ${id}
    ), ledger as (
      update recipient set next_at = ${scheduledAt} where workspace_id = ${workspaceId} and message_id = ${id}
    )
    insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'transactional', ${scheduledAt})
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at`)
}

/** Ends a message whose rows `lockUnbegun` locked, and gives its quota back to the month that was debited. */
export async function cancelMessage(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    with ended as (
      update message set canceled_at = facteur_now() where workspace_id = ${workspaceId} and id = ${id} returning quota_month
    ), ledger as (
      update recipient set state = 'settled', status = 'failed', error = 'cancelled', fence = fence + 1
      where workspace_id = ${workspaceId} and message_id = ${id} returning position
    )
    update quota_usage q set used = q.used - (select count(*) from ledger)
    from ended where q.workspace_id = ${workspaceId} and q.month = ended.quota_month`)
}
