/**
 * Captured mails as lists answer them: filtered by kind and words, each alone or a campaign's as
 * one entry.
 */
import { limits } from '../../contract/limits.ts'
import type { Database } from '../../database/client/database.ts'
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { RecipientRow } from '../messages/messages.ts'
import { storedFrom } from '../retention/stored-since.ts'
import { end, isThere, readerS, type CapturedRow, type CapturedSubject } from './captured-mails.ts'
import {
  anyCaptured,
  matchesFilter,
  searchedMails,
  type CapturedFilter,
} from './captured-matches.ts'
import type { CapturedPosition } from './captured-moment.ts'

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
  /** Why its recipient has not got it, in the words of the host. */
  error: string | null
  campaignName: string | null
  /** What a notice is for. */
  purpose: string | null
  /** Mails that the entry stands for, and those of them that nobody has opened. */
  mails: number
  unread: number
}

const entryColumns = fragment`
      c.captured_at::text as at, c.id, w.slug as workspace, c.recipient, c.captured_at, c.size,
      c.campaign_id, coalesce(m.subject, g.subject, '') as subject,
      case when m.id is null then g.from_name else m.head #>> '{from,name}' end as from_name,
      coalesce(m.head #>> '{from,address}', g.from_email, '') as from_address,
      case when m.id is not null and not m.notice then m.id::text
        when c.campaign_id is not null then c.campaign_id || '.' || c.subscriber_id end as message,
      coalesce(r.status, f.status, 'sent') as status, coalesce(r.state, f.state, 'settled') as state,
      coalesce(r.error, f.error) as error,
      ${readerS} as reader, g.name as campaign_name, m.head ->> 'purpose' as purpose, c.mails, c.unread`

const entryJoins = fragment`
    left join message m on m.workspace_id = w.id and m.id = c.message_id
    left join recipient r on r.workspace_id = w.id and r.message_id = c.message_id and r.position = c.position
    left join campaign g on g.workspace_id = w.id and g.id = c.campaign_id
    left join campaign_recipient f on f.workspace_id = w.id and f.campaign_id = c.campaign_id
      and f.subscriber_id = c.subscriber_id
    left join subscriber s on s.workspace_id = w.id and s.id = c.subscriber_id`

export interface CapturedRequest {
  /** Null: each in turn, for the operator. */
  workspaceId: number | null
  /**
   * The operator alone sees mails that give access, and those without a row that says otherwise.
   */
  isOperator?: boolean
  max: number
  before: CapturedPosition | null
  filter?: CapturedFilter
}

/**
 * Captured mails newest first from before a position on, of the first ones there: a filter without
 * a match must not read a whole mailbox, and an index of recipients would cost each capture.
 */
export function capturedEntries(db: Database, page: CapturedRequest): Promise<CapturedMailRow[]> {
  const { workspaceId, max, before, filter = anyCaptured, isOperator = false } = page
  return db.rows<CapturedMailRow>(sql`
    select ${entryColumns}
    from workspace w
    cross join lateral (
      select *, 1 as mails, (read_at is null)::int as unread
      from (${searchedMails(page, { before, since: filter.since, lateFrom: filter.lateFrom })}) searched
      where ${matchesFilter(filter, isOperator)}
      order by captured_at desc, id desc limit ${max}
    ) c
    ${entryJoins}
    where ${workspaceId}::bigint is null or w.id = ${workspaceId}::bigint
    order by c.captured_at desc, c.id desc limit ${max}`)
}

/**
 * The same with the mails of a campaign as one entry, its newest. `from`: the newest mail that is
 * read; null is the first.
 */
export function foldedCaptured(
  db: Database,
  page: CapturedRequest & { from: CapturedPosition | null },
): Promise<CapturedMailRow[]> {
  const { workspaceId, max, filter = anyCaptured, isOperator = false, from } = page
  const before = page.before ?? end
  return db.rows<CapturedMailRow>(sql`
    select ${entryColumns}
    from workspace w
    cross join lateral (
      select * from (
        select distinct on (coalesce(campaign_id, id)) searched.*,
          (count(*) over of_entry)::int as mails,
          (count(*) filter (where read_at is null) over of_entry)::int as unread
        from (${searchedMails(page, { before: from, since: null, lateFrom: null })}) searched
        where ${matchesFilter(filter, isOperator)}
        window of_entry as (partition by coalesce(campaign_id, id))
        order by coalesce(campaign_id, id), captured_at desc, id desc
      ) folded
      where (captured_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
      order by captured_at desc, id desc limit ${max}
    ) c
    ${entryJoins}
    where ${workspaceId}::bigint is null or w.id = ${workspaceId}::bigint
    order by c.captured_at desc, c.id desc limit ${max}`)
}

/** The last mail that a folded list from there on reads. Null if it reads all there are. */
export function lastSearched(
  db: Database,
  workspaceId: number,
  from: CapturedPosition | null,
): Promise<CapturedPosition | null> {
  const before = from ?? end
  return db.row<CapturedPosition>(sql`
    select captured_at::text as at, id from captured_mail
    where workspace_id = ${workspaceId} and ${isThere}
      and captured_at >= ${storedFrom(workspaceId, 'captured')}
      and (captured_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
    order by captured_at desc, id desc limit 1 offset ${limits.capturedSearchedMax - 1}`)
}

export interface CapturedCounts {
  all: number
  unread: number
  tests: number
  confirmations: number
  campaigns: number
}

/** How many there are of each kind, among the mails that a search reads. */
export function capturedCounts(
  db: Database,
  { workspaceId, isOperator }: { workspaceId: number; isOperator: boolean },
): Promise<CapturedCounts> {
  const all = { before: null, since: null, lateFrom: null }
  return db.onlyRow<CapturedCounts>(sql`
    select count(*)::int as "all", (count(*) filter (where read_at is null))::int as unread,
      (count(*) filter (where purpose = 'test'))::int as tests,
      (count(*) filter (where purpose = 'confirmation'))::int as confirmations,
      (count(*) filter (where campaign_id is not null))::int as campaigns
    from workspace w
    cross join lateral (
      select read_at, campaign_id, case when campaign_id is null then (select p.head ->> 'purpose'
        from message p where p.workspace_id = w.id and p.id = searched.message_id) end as purpose
      from (${searchedMails({ workspaceId }, all)}) searched
      where ${matchesFilter(anyCaptured, isOperator)}
    ) c
    where w.id = ${workspaceId}`)
}

/** One captured mail, for the workspace's users or the operator. */
export function capturedEntry(
  db: Database,
  { workspaceId, id, isOperator }: { workspaceId: number; id: string; isOperator: boolean },
): Promise<CapturedMailRow | null> {
  return db.row<CapturedMailRow>(sql`
    select ${entryColumns}
    from workspace w
    cross join lateral (
      select id, message_id, position, campaign_id, subscriber_id, recipient, captured_at,
        octet_length(raw) as size, 1 as mails, (read_at is null)::int as unread
      from captured_mail
      where workspace_id = w.id and id = ${id} and ${isThere}
        and captured_at >= ${storedFrom(workspaceId, 'captured')}
    ) c
    ${entryJoins}
    where w.id = ${workspaceId} and (${isOperator}::boolean
      or (m.id is not null or c.campaign_id is not null) and m.head ->> 'private' is distinct from 'true')`)
}
