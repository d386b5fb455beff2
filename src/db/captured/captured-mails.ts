/** The capture mailbox: mails that would have left, and the pending feedback of its simulators. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import type { CapturedPosition } from './captured-moment.ts'
import { storedFrom } from '../retention/stored-since.ts'

export interface CapturedRow {
  id: string
  /** Set for a single message; else campaign and subscriber are set. */
  messageId: string | null
  campaignId: string | null
  subscriberId: string | null
  returnPath: string
  recipient: string
  capturedAt: Date
  size: number
}

/**
 * The subject of a captured mail: a campaign's may hold merge tags, which the recipient's values
 * fill.
 */
export interface CapturedSubject {
  subject: string
  campaignId: string | null
  /** Of a campaign's mail, until the subscriber is erased. */
  reader: {
    email: string
    firstName: string | null
    lastName: string | null
    fields: Record<string, string>
  } | null
}

/**
 * A deleted mail keeps its row without bytes: its feedback still comes, and later mails are found
 * by its id.
 */
export const isThere = fragment`octet_length(raw) > 0`

/** The subscriber `s`, or null. */
export const readerS = fragment`case when s.id is not null then json_build_object(
        'email', s.email, 'firstName', s.first_name, 'lastName', s.last_name, 'fields', s.fields) end`

/** Behind all mails: a page from there on is the first. */
export const end: CapturedPosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** Captured mails newest first, from before a place on. */
export function capturedPage(
  db: Database,
  workspaceId: number,
  page: { max: number; before: CapturedPosition | null },
): Promise<(CapturedRow & CapturedSubject & { at: string })[]> {
  const before = page.before ?? end
  return db.rows(sql`
    select c.captured_at::text as at, c.id, c.message_id, c.campaign_id, c.subscriber_id,
      c.return_path, c.recipient, c.captured_at, octet_length(c.raw) as size,
      coalesce(m.subject, g.subject, '') as subject,
      ${readerS} as reader
    from captured_mail c
    left join message m on m.workspace_id = ${workspaceId} and m.id = c.message_id
    left join campaign g on g.workspace_id = ${workspaceId} and g.id = c.campaign_id
    left join subscriber s on s.workspace_id = ${workspaceId} and s.id = c.subscriber_id
    where c.workspace_id = ${workspaceId} and ${isThere}
      and c.captured_at >= ${storedFrom(workspaceId, 'captured')}
      and (c.captured_at, c.id) < (${before.at}::timestamptz, ${before.id}::uuid)
    order by c.captured_at desc, c.id desc limit ${page.max}`)
}

/** One captured mail with its bytes. */
export function capturedMail(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<(CapturedRow & { raw: Buffer }) | null> {
  return db.row<CapturedRow & { raw: Buffer }>(sql`
    select id, message_id, campaign_id, subscriber_id, return_path,
      recipient, captured_at, octet_length(raw) as size, raw
    from captured_mail
    where workspace_id = ${workspaceId} and id = ${id} and ${isThere}
      and captured_at >= ${storedFrom(workspaceId, 'captured')}`)
}

/** The position of a mail, also of a deleted one. Null if there was none. */
export function capturedPosition(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<CapturedPosition | null> {
  return db.row<CapturedPosition>(sql`
    select captured_at::text as at, id from captured_mail where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Marks captured mails that the caller may see as read; answers how many nobody had opened. */
export function markRead(
  db: Database,
  { workspaceId, ids, isOperator }: { workspaceId: number; ids: string[]; isOperator: boolean },
): Promise<number> {
  return db.count(sql`
    update captured_mail c set read_at = facteur_now()
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[]) and read_at is null and ${isThere}
      and (${isOperator}::boolean or campaign_id is not null or (
        select m.head ->> 'private' is distinct from 'true' from message m
        where m.workspace_id = ${workspaceId} and m.id = c.message_id))`)
}

/** A mail that was handed over to one recipient. */
export interface HandedOver {
  /** Of its message or its campaign. */
  mailId: string
  recipient: string
  sentAt: Date
}

/**
 * The captured copies that are there of these mails. One statement writes the copy and when the mail
 * was handed over, so that both have the same time.
 */
export function capturedCopiesOf(
  db: Database,
  workspaceId: number,
  mails: HandedOver[],
): Promise<{ id: string; mailId: string; recipient: string }[]> {
  return db.rows(sql`
    select c.id, a.mail_id, a.recipient
    from unnest(${mails.map(({ mailId }) => mailId)}::uuid[],
      ${mails.map(({ recipient }) => recipient)}::text[],
      ${mails.map(({ sentAt }) => sentAt.toISOString())}::timestamptz[]) a (mail_id, recipient, sent_at)
    cross join lateral (
      select id from captured_mail
      where workspace_id = ${workspaceId} and captured_at = a.sent_at and recipient = a.recipient
        and (message_id = a.mail_id or campaign_id = a.mail_id) and ${isThere}
        and captured_at >= ${storedFrom(workspaceId, 'captured')}
      limit 1
    ) c`)
}

/** Deletes the bytes of captured mails; answers how many were there. */
export function deleteCapturedBytes(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<number> {
  return db.count(sql`
    update captured_mail set raw = ''
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[]) and ${isThere}`)
}

/**
 * Pending feedback of the mailbox that is due now, of single messages' and campaigns' recipients.
 * Its identifier is the captured mail's. The look begins behind `from`, as that of a claim does
 * (db/sending/claims.ts).
 */
export async function pendingFeedback(
  db: Database,
  workspaceId: number,
  { max, from }: { max: number; from: Date | null },
): Promise<{ pending: PendingFeedback[]; passedTo: Date }> {
  const rows = await db.rows<{ passedTo: Date } & (PendingFeedback | { id: null })>(sql`
    with matching as materialized (
      select id, message_id, position, campaign_id, subscriber_id, feedback_kind, feedback_at
      from captured_mail
      where workspace_id = ${workspaceId} and feedback_at <= (select facteur_now())
        and feedback_at > coalesce(${from}::timestamptz, '-infinity')
      order by feedback_at limit ${max}
    )
    select p.passed_to, f.id, f.message_id, f.position, f.campaign_id, f.subscriber_id,
      f.feedback_kind as kind
    from (
      select case when count(*) < ${max} then facteur_now() else max(feedback_at) end
        - ${lateSeconds} * interval '1 second' as passed_to
      from matching
    ) p
    left join matching f on true
    order by f.feedback_at`)
  const [first] = rows
  if (!first) throw new Error('The look did not answer how far it went')
  return {
    pending: rows.flatMap(({ passedTo: _passedTo, ...row }) => (row.id === null ? [] : [row])),
    passedTo: first.passedTo,
  }
}

export type PendingFeedback = {
  id: string
  kind: 'delivered' | 'bounced' | 'complained' | 'failed'
} & (
  | { messageId: string; position: number; campaignId: null }
  | { messageId: null; campaignId: string; subscriberId: string }
)

/** Marks feedback as given, in the transaction that records it. */
export async function markFeedbackGiven(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<void> {
  await db.count(sql`
    update captured_mail
    set feedback_at = null
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}
