/** Which captured mails a list is about, as parts of its statements. */
import type { CapturedKind } from '../../contract/captured.ts'
import { limits } from '../../contract/limits.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import { storedFrom } from '../retention/stored-since.ts'
import {
  beginning,
  tailOfId,
  type CapturedMoment,
  type CapturedPosition,
} from './captured-moment.ts'
import { end, isThere } from './captured-mails.ts'

/** Parts of texts, all in lower case; an entry holds each of them. */
export interface CapturedSearch {
  to: string[]
  from: string[]
  subject: string[]
  /** In the recipient, the sender or the subject. */
  words: string[]
  hasLink: boolean
}

/** Which captured mails of a workspace a caller asks for. Null means any. */
export interface CapturedFilter {
  /** An address in lower case. */
  to: string | null
  /** A campaign's subject with merge tags passes; its reader's values decide. */
  search: CapturedSearch
  kind: CapturedKind
  campaign: string | null
  /** Mails that were not there at this moment. */
  since: CapturedMoment | null
  /** Mails since shortly before this time. */
  lateFrom: string | null
}

export const anyCaptured: CapturedFilter = {
  to: null,
  search: { to: [], from: [], subject: [], words: [], hasLink: false },
  kind: 'all',
  campaign: null,
  since: null,
  lateFrom: null,
}

/** How many mails of each workspace a list of all of them reads. */
const searchedOfEachMax = 1_000

/** The newest mails of the workspace `w` from a position on, whatever they are. */
export const searchedMails = (
  { workspaceId }: { workspaceId: number | null },
  page: Pick<CapturedFilter, 'since' | 'lateFrom'> & { before: CapturedPosition | null },
): Fragment => {
  const { since, lateFrom } = page
  const from = since?.from ?? beginning
  const before = page.before ?? end
  const max = workspaceId === null ? searchedOfEachMax : limits.capturedSearchedMax
  return part`
        select workspace_id, id, message_id, position, campaign_id, subscriber_id, recipient, captured_at,
          octet_length(raw) as size, read_at
        from captured_mail
        where workspace_id = w.id and ${isThere}
          and captured_at >= ${storedFrom(fragment`w.id`, 'captured')}
          and captured_at >= ${lateFrom ?? '-infinity'}::timestamptz - ${lateSeconds} * interval '1 second'
          and (captured_at, id) > (${from.at}::timestamptz, ${from.id}::uuid)
          and ${tailOfId} <> all (${since?.known ?? []}::text[])
          and (captured_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
        order by captured_at desc, id desc
        limit ${max}`
}

/** Whether a mail `searched` is one that the caller may see and asks for. */
export const matchesFilter = (filter: CapturedFilter, isOperator: boolean): Fragment => {
  const { to, kind, campaign } = filter
  return part`(${to}::text is null or lower(recipient) = ${to})
          and (${kind}::text <> 'unread' or read_at is null)
          and (${campaign}::uuid is null or campaign_id = ${campaign}::uuid)
          and ${holdsAll(fragment`lower(recipient)`, filter.search.to)}
          and case when campaign_id is null then ${matchesMessage(filter, isOperator)}
            else ${matchesCampaign(filter)} end`
}

const matchesMessage = ({ kind, search }: CapturedFilter, isOperator: boolean): Fragment => {
  const sender = fragment`lower(concat_ws(' ', p.head #>> '{from,name}', p.head #>> '{from,address}'))`
  const subject = fragment`lower(p.subject)`
  return part`(${kind}::text <> 'campaigns' and (exists (
              select 1 from message p
              where p.workspace_id = w.id and p.id = searched.message_id
                and (${isOperator}::boolean or p.head ->> 'private' is distinct from 'true')
                and (${kind}::text <> 'tests' or p.head ->> 'purpose' = 'test')
                and (${kind}::text <> 'confirmations' or p.head ->> 'purpose' = 'confirmation')
                and ${holdsAll(sender, search.from)}
                and ${holdsAll(subject, search.subject)}
                and ${holdsAll(wordsOf(sender, subject), search.words)}
                and (not ${search.hasLink}::boolean or exists (
                  select 1 from message_body b
                  where b.workspace_id = w.id and b.message_id = p.id
                    and (strpos(lower(b.html), 'href') > 0 or strpos(lower(b.text), '://') > 0))))
            or ${isOperator && isAny(search) && (kind === 'all' || kind === 'unread')}::boolean
              and not exists (select 1 from message p
                where p.workspace_id = w.id and p.id = searched.message_id)))`
}

/** Each mail of a campaign has the link to unsubscribe. */
const matchesCampaign = ({ kind, search }: CapturedFilter): Fragment => {
  const sender = fragment`lower(concat_ws(' ', p.from_name, p.from_email))`
  const subject = fragment`lower(p.subject)`
  return part`(${kind}::text not in ('tests', 'confirmations') and (${isAny(search)}::boolean or exists (
              select 1 from campaign p
              where p.workspace_id = w.id and p.id = searched.campaign_id
                and ${holdsAll(sender, search.from)}
                and (strpos(p.subject, '{{') > 0 or ${holdsAll(subject, search.subject)}
                  and ${holdsAll(wordsOf(sender, subject), search.words)}))))`
}

const wordsOf = (sender: Fragment, subject: Fragment): Fragment =>
  fragment`concat_ws(' ', lower(recipient), ${sender}, ${subject})`

const holdsAll = (text: Fragment, parts: string[]): Fragment =>
  part`not exists (select 1 from unnest(${parts}::text[]) needle where strpos(${text}, needle) = 0)`

/** Whether the search says nothing of the sender, the subject or the content. */
export const isAny = ({ from, subject, words, hasLink }: CapturedSearch): boolean =>
  from.length + subject.length + words.length === 0 && !hasLink
