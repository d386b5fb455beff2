/** The capture mailbox: mails that would have left, and the feedback its simulators owe for them. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import type { RecipientRow } from './messages.ts'

export interface CapturedRow {
  id: string
  messageId: string
  returnPath: string
  recipient: string
  capturedAt: Date
  size: number
}

/** Captured mails newest first, from before a place on. */
export function capturedPage(
  db: Database,
  workspaceId: number,
  page: { most: number; before: { at: string; id: string } | null },
): Promise<(CapturedRow & { subject: string; at: string })[]> {
  return db.rows(sql`
    select c.captured_at::text as at, c.id, c.message_id as "messageId", c.return_path as "returnPath", c.recipient, c.captured_at as "capturedAt",
      octet_length(c.raw) as size, m.subject
    from captured_mail c join message m on m.workspace_id = ${workspaceId} and m.id = c.message_id
    where c.workspace_id = ${workspaceId}
      and (c.captured_at, c.id) < (coalesce(${page.before?.at ?? null}::timestamptz, 'infinity'),
                                   coalesce(${page.before?.id ?? null}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by c.captured_at desc, c.id desc limit ${page.most}`)
}

/** A captured mail as a list shows it, with what became of its recipient. */
export interface CapturedEntry extends Omit<CapturedRow, 'messageId' | 'returnPath'> {
  /** `capturedAt` as the database writes it, to the microsecond: the entry's place in the list. */
  at: string
  /** Slug of its workspace. */
  workspace: string
  subject: string
  fromName: string | null
  fromAddress: string
  status: RecipientRow['status']
  state: RecipientRow['state']
}

/** Captured mails of one workspace, or (null) of each in turn, newest first from before a place on: the operator's own view. */
export function capturedEntries(
  db: Database,
  page: { workspaceId: number | null; most: number; before: { at: string; id: string } | null },
): Promise<CapturedEntry[]> {
  return db.rows<CapturedEntry>(sql`
    select c.captured_at::text as at, c.id, w.slug as workspace, c.recipient, c.captured_at as "capturedAt", c.size, m.subject,
      m.head #>> '{from,name}' as "fromName", m.head #>> '{from,address}' as "fromAddress", r.status, r.state
    from workspace w
    cross join lateral (
      select id, message_id, position, recipient, captured_at, octet_length(raw) as size from captured_mail
      where workspace_id = w.id
        and (captured_at, id) < (coalesce(${page.before?.at ?? null}::timestamptz, 'infinity'),
                                 coalesce(${page.before?.id ?? null}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by captured_at desc, id desc limit ${page.most}
    ) c
    join message m on m.workspace_id = w.id and m.id = c.message_id
    join recipient r on r.workspace_id = w.id and r.message_id = c.message_id and r.position = c.position
    where ${page.workspaceId}::bigint is null or w.id = ${page.workspaceId}::bigint
    order by c.captured_at desc, c.id desc limit ${page.most}`)
}

/** One captured mail with its bytes. */
export async function capturedMail(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<(CapturedRow & { raw: Buffer }) | null> {
  const [row] = await db.rows<CapturedRow & { raw: Buffer }>(sql`
    select id, message_id as "messageId", return_path as "returnPath", recipient, captured_at as "capturedAt",
      octet_length(raw) as size, raw
    from captured_mail where workspace_id = ${workspaceId} and id = ${id}`)
  return row ?? null
}

/** News the mailbox owes now, as feedback whose identifier is the captured mail's: of a single message's recipient, or of a campaign's. */
export function owedFeedback(db: Database, workspaceId: number, most: number) {
  return db.rows<OwedFeedback>(sql`
    select id, message_id as "messageId", position, campaign_id as "campaignId", subscriber_id as "subscriberId", feedback_kind as kind
    from captured_mail
    where workspace_id = ${workspaceId} and feedback_at <= (select facteur_now()) order by feedback_at limit ${most}`)
}

export type OwedFeedback = { id: string; kind: 'delivered' | 'bounced' | 'complained' | 'failed' } & (
  | { messageId: string; position: number; campaignId: null }
  | { messageId: null; campaignId: string; subscriberId: string }
)

/** Marks news as given; in the transaction that records it. */
export async function settleOwed(db: Database, workspaceId: number, ids: string[]): Promise<void> {
  await db.count(sql`
    update captured_mail set feedback_at = null where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}
