/** The capture mailbox: mails that would have left, and the pending feedback of its simulators. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import { limits } from '../../contract/limits.ts'
import {
  beginning,
  tailOfId,
  type CapturedMoment,
  type CapturedPosition,
} from './captured-moment.ts'
import { storedFrom } from '../retention/stored-since.ts'
import type { RecipientRow } from '../messages/messages.ts'

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
const isThere = fragment`octet_length(raw) > 0`

/** The subscriber `s`, or null. */
const readerS = fragment`case when s.id is not null then json_build_object(
        'email', s.email, 'firstName', s.first_name, 'lastName', s.last_name, 'fields', s.fields) end`

/** Behind all mails: a page from there on is the first. */
const end: CapturedPosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

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

/** A captured mail as a list answers it, with the status of its recipient. */
export interface CapturedMailRow
  extends CapturedSubject, Omit<CapturedRow, 'messageId' | 'subscriberId' | 'returnPath'> {
  /**
   * `capturedAt` as the database writes it, to the microsecond: the entry's position in the list.
   */
  at: string
  /** Slug of its workspace. */
  workspace: string
  fromName: string | null
  fromAddress: string
  /** Its page in the log; null for a notice, which has none. */
  message: string | null
  status: RecipientRow['status']
  state: RecipientRow['state']
}

const entryColumns = fragment`
      c.captured_at::text as at, c.id, w.slug as workspace, c.recipient, c.captured_at, c.size,
      c.campaign_id, coalesce(m.subject, g.subject, '') as subject,
      case when m.id is null then g.from_name else m.head #>> '{from,name}' end as from_name,
      coalesce(m.head #>> '{from,address}', g.from_email, '') as from_address,
      case when m.id is not null and not m.notice then m.id::text
        when c.campaign_id is not null then c.campaign_id || '.' || c.subscriber_id end as message,
      coalesce(r.status, f.status, 'sent') as status, coalesce(r.state, f.state, 'settled') as state,
      ${readerS} as reader`

const entryJoins = fragment`
    left join message m on m.workspace_id = w.id and m.id = c.message_id
    left join recipient r on r.workspace_id = w.id and r.message_id = c.message_id and r.position = c.position
    left join campaign g on g.workspace_id = w.id and g.id = c.campaign_id
    left join campaign_recipient f on f.workspace_id = w.id and f.campaign_id = c.campaign_id
      and f.subscriber_id = c.subscriber_id
    left join subscriber s on s.workspace_id = w.id and s.id = c.subscriber_id`

/** Which captured mails of a workspace a program asks for. Null means any. */
export interface CapturedFilter {
  /** An address in lower case. */
  to: string | null
  /** In lower case. A campaign's subject with merge tags passes; its reader's values decide. */
  subject: string | null
  /** Mails that were not there at this moment. */
  since: CapturedMoment | null
  /** Mails since shortly before this time. */
  lateFrom: string | null
}

const any: CapturedFilter = { to: null, subject: null, since: null, lateFrom: null }

/**
 * Captured mails newest first from before a position on, of the first ones there: a filter without
 * a match must not read a whole mailbox, and an index of recipients would cost each capture. Of one
 * workspace, for its users and
 * programs; or (null) of each in turn, for the operator. Only the operator sees private mails, and
 * those without a row that says otherwise.
 */
export function capturedEntries(
  db: Database,
  page: {
    workspaceId: number | null
    max: number
    before: CapturedPosition | null
    filter?: CapturedFilter
  },
): Promise<CapturedMailRow[]> {
  const { to, subject, since, lateFrom } = page.filter ?? any
  const from = since?.from ?? beginning
  const before = page.before ?? end
  return db.rows<CapturedMailRow>(sql`
    select ${entryColumns}
    from workspace w
    cross join lateral (
      select * from (
        select workspace_id, id, message_id, position, campaign_id, subscriber_id, recipient, captured_at,
          octet_length(raw) as size
        from captured_mail
        where workspace_id = w.id and ${isThere}
          and captured_at >= ${storedFrom(fragment`w.id`, 'captured')}
          and captured_at >= ${lateFrom ?? '-infinity'}::timestamptz - ${lateSeconds} * interval '1 second'
          and (captured_at, id) > (${from.at}::timestamptz, ${from.id}::uuid)
          and ${tailOfId} <> all (${since?.known ?? []}::text[])
          and (captured_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
        order by captured_at desc, id desc
        limit ${limits.capturedSearchedMax}
      ) searched
      where (${to}::text is null or lower(recipient) = ${to})
        and (${page.workspaceId}::bigint is null or campaign_id is not null or exists (
          select 1 from message p
          where p.workspace_id = w.id and p.id = searched.message_id
            and p.head ->> 'private' is distinct from 'true'))
        and (${subject}::text is null
          or exists (select 1 from message p
            where p.workspace_id = w.id and p.id = searched.message_id
              and strpos(lower(p.subject), ${subject}) > 0)
          or exists (select 1 from campaign p
            where p.workspace_id = w.id and p.id = searched.campaign_id
              and (strpos(p.subject, '{{') > 0 or strpos(lower(p.subject), ${subject}) > 0)))
      order by captured_at desc, id desc limit ${page.max}
    ) c
    ${entryJoins}
    where ${page.workspaceId}::bigint is null or w.id = ${page.workspaceId}::bigint
    order by c.captured_at desc, c.id desc limit ${page.max}`)
}

/** One captured mail, for the workspace's users. */
export function capturedEntry(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<CapturedMailRow | null> {
  return db.row<CapturedMailRow>(sql`
    select ${entryColumns}
    from workspace w
    cross join lateral (
      select id, message_id, position, campaign_id, subscriber_id, recipient, captured_at,
        octet_length(raw) as size
      from captured_mail
      where workspace_id = w.id and id = ${id} and ${isThere}
        and captured_at >= ${storedFrom(workspaceId, 'captured')}
    ) c
    ${entryJoins}
    where w.id = ${workspaceId} and (m.id is not null or c.campaign_id is not null)
      and m.head ->> 'private' is distinct from 'true'`)
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
 * The status of a campaign's recipient, in the words of single messages; null when the row is gone.
 */
export function campaignRecipientStatus(
  db: Database,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
): Promise<Pick<RecipientRow, 'email' | 'status' | 'state' | 'error'> | null> {
  return db.row<Pick<RecipientRow, 'email' | 'status' | 'state' | 'error'>>(sql`
    select email, status, state, error from campaign_recipient
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}`)
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
