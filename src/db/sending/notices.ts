/**
 * Mail that the service itself sends for a workspace: its sender, and its admission to the ledger. It needs no API
 * key and no quota counts it.
 */
import { sql, type Database } from '../connection/connect.ts'

/** The workspace in whose name notices are sent. */
export interface Notifier {
  workspaceName: string
  /** Null: the installation's language. */
  language: 'fr' | 'en' | null
  postalAddress: string | null
  /** Its default sender; null while it has none. */
  sender: { name: string | null; email: string } | null
}

export async function notifierOf(db: Database, workspaceId: number): Promise<Notifier> {
  const [row] = await db.rows<Omit<Notifier, 'sender'> & { name: string | null; email: string | null }>(sql`
    select w.name as "workspaceName", w.language, w.postal_address as "postalAddress", s.name, s.email
    from workspace w
    left join lateral (
      select name, email from sender where workspace_id = w.id order by is_default desc, created_at, id limit 1) s on true
    where w.id = ${workspaceId}`)
  if (!row) throw new Error('The workspace is gone')
  const { name, email, ...rest } = row
  return { ...rest, sender: email === null ? null : { name, email } }
}

export interface NoticeRow {
  id: string
  /** JSON of the mailboxes and headers. */
  head: string
  subject: string
  /** The Message-ID header without angle brackets. */
  messageId: string
  html: string
  text: string
  /** The recipient, and the address in lower case. */
  email: string
  key: string
  /** Whether the mail goes out although the recipient unsubscribed. */
  passesUnsubscribe: boolean
}

/** Admits notices to the transactional lane, in the transaction of the change that they report. */
export async function insertNotices(tx: Database, workspaceId: number, notices: NoticeRow[]): Promise<void> {
  const ids = notices.map((n) => n.id)
  await tx.count(sql`
    with moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), kept as (
      insert into message (workspace_id, id, head, subject, message_id, created_at, notice)
      select ${workspaceId}, n.id, n.head::json, n.subject, n.message_id, at, true
      from moment, unnest(${ids}::uuid[], ${notices.map((n) => n.head)}::text[], ${notices.map((n) => n.subject)}::text[],
                          ${notices.map((n) => n.messageId)}::text[]) as n (id, head, subject, message_id)
    ), body as (
      insert into message_body (workspace_id, message_id, html, text)
      select ${workspaceId}, n.id, n.html, n.text
      from unnest(${ids}::uuid[], ${notices.map((n) => n.html)}::text[], ${notices.map((n) => n.text)}::text[]) as n (id, html, text)
    ), ledger as (
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, passes_unsubscribe)
      select ${workspaceId}, n.id, 0, 'to', n.email, n.key, 'queued', 'pending', 'transactional', at, n.passes_unsubscribe
      from moment, unnest(${ids}::uuid[], ${notices.map((n) => n.email)}::text[], ${notices.map((n) => n.key)}::text[],
                          ${notices.map((n) => n.passesUnsubscribe)}::boolean[]) as n (id, email, key, passes_unsubscribe)
    )
    insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'transactional', at from moment
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at`)
}
