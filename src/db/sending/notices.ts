/**
 * Mail that the service itself sends for a workspace: its sender, and its admission to the ledger.
 * It needs no API key and no quota counts it.
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

/** The workspace in whose name notices are sent. */
export interface Notifier {
  workspaceName: string
  /** Null means the installation's language. */
  language: RecipientLanguage | null
  postalAddress: string | null
  /** Its default sender; null while it has none. */
  sender: { name: string | null; email: string } | null
}

export async function notifierOf(db: Database, workspaceId: number): Promise<Notifier> {
  const row = await db.onlyRow<
    Omit<Notifier, 'sender'> & { name: string | null; email: string | null }
  >(sql`
    select w.name as workspace_name, w.language, w.postal_address, s.name, s.email
    from workspace w
    left join lateral (
      select name, email
      from sender
      where workspace_id = w.id
      order by is_default desc, created_at, id
      limit 1) s
        on true
    where w.id = ${workspaceId}`)
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
  /** When it leaves. Null means at once. */
  leavesAt: Date | null
}

/**
 * Admits notices to the transactional lane, in the transaction of the change that they report.
 * `waits`: after a restore it is held until the operator decides, since the same notice may have
 * left between the backup and the restore.
 */
export async function insertNotices(
  tx: Database,
  workspaceId: number,
  notices: NoticeRow[],
  { waits }: { waits: boolean } = { waits: false },
): Promise<void> {
  await tx.count(sql`
    with moment as materialized (
      -- A cluster stores no row that a sub-select of another table stands beside.
      select date_trunc('milliseconds', facteur_now()) as at,
        case when ${waits}::boolean
          and exists (select 1 from undecided_workspace where workspace_id = ${workspaceId})
          then 'held' else 'transactional' end as lane
    ), kept as (
      insert into message (workspace_id, id, head, subject, message_id, created_at, scheduled_at, notice,
        size)
      select ${workspaceId}, n.id, n.head::json, n.subject, n.message_id, at, n.leaves_at, true,
        octet_length(n.html) + octet_length(n.text)
      from moment,
        ${rowList(notices, 'n', {
          uuid: ['id'],
          text: ['head', 'subject', 'messageId', 'html', 'text'],
          timestamptz: ['leavesAt'],
        })}
    ), body as (
      insert into message_body (workspace_id, message_id, html, text)
      select ${workspaceId}, n.id, n.html, n.text
      from ${rowList(notices, 'n', { uuid: ['id'], text: ['html', 'text'] })}
    ), ledger as (
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state,
        lane, next_at, passes_unsubscribe)
      select ${workspaceId}, n.id, 0, 'to', n.email, n.key, 'queued', 'pending', moment.lane,
        greatest(n.leaves_at, at), n.passes_unsubscribe
      from moment,
        ${rowList(notices, 'n', {
          uuid: ['id'],
          text: ['email', 'key'],
          boolean: ['passesUnsubscribe'],
          timestamptz: ['leavesAt'],
        })}
    ), hint as (
      insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'transactional', at from moment
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select 1`)
}
