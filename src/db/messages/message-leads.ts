/**
 * Which index finds the messages of a filtered list, where the newest messages are not enough, and
 * how it is read.
 */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import {
  clocksDiffer,
  type AskedMessages,
  type MessageConditions,
  type MessageFilter,
} from './message-filter.ts'
import { indexedTo, isOfWorkspaceByText } from './message-search.ts'
import { statusByR } from './messages.ts'

/**
 * The index that finds the messages which can pass a filter. Null if there is none, and all are
 * read, newest first.
 */
export type Lead = 'recipient' | 'tag' | 'wrong' | 'queued' | 'sent' | 'delivered'

export function leadOf(filter: MessageFilter): Lead | null {
  if (filter.recipient !== null) return 'recipient'
  if (filter.tagName !== null && filter.tagGrams.length > 0) return 'tag'
  switch (filter.status) {
    case null:
      return null
    case 'queued':
    case 'sent':
    case 'delivered':
      return filter.status
    default:
      return 'wrong'
  }
}

/**
 * How many of the newest messages are read before those that an index finds: common ones are found
 * among them.
 */
const windowSize = 1_000
/**
 * What the index finds for a tag may be a fifth of all messages: a page of one in a hundred is
 * found among these.
 */
const taggedWindowSize = 5_000

export const windowOf = (lead: Lead | null, max: number): number =>
  lead === null ? max : lead === 'tag' ? taggedWindowSize : windowSize

type LeadParts = { filter: MessageFilter; page: AskedMessages; conditions: MessageConditions }

/**
 * `far`: the messages of the page that the index names, as parts of the statement of `messagePage`.
 */
export function farOf(lead: Lead | null, workspaceId: number, parts: LeadParts): Fragment {
  const { filter } = parts
  switch (lead) {
    case null:
      return fragment`far as (select id, created_at from near where false)`
    case 'tag':
      return farTagged(workspaceId, parts)
    case 'recipient':
      return farInOrder(workspaceId, parts, part`r.address_key = ${filter.recipient}`)
    case 'wrong':
      return farInOrder(
        workspaceId,
        parts,
        part`r.status = ${filter.status} and r.status in ('bounced', 'complained', 'failed')`,
      )
    case 'delivered':
      return farInOrder(workspaceId, parts, fragment`r.status = 'delivered'`)
    case 'queued':
      return farUnordered(
        workspaceId,
        parts,
        fragment`r.lane in ('transactional', 'held') and r.state <> 'settled' and r.status = 'queued'`,
      )
    case 'sent':
      return farUnordered(workspaceId, parts, fragment`r.status = 'sent'`)
  }
}

/** Of a message `m` that an index named: it passes the filter. */
const passing = (
  workspaceId: number,
  { filter, conditions }: LeadParts,
): Fragment => part`not m.notice and ${conditions.between} and ${conditions.tagged}
        and (${filter.status}::text is null or ${filter.status} = (
          select ${statusByR}
          from recipient r
          where r.workspace_id = ${workspaceId} and r.message_id = m.id))`

/** The nearest first. */
const order = ({ page }: LeadParts): Fragment =>
  page.after === null ? fragment`m.created_at desc, m.id desc` : fragment`m.created_at, m.id`

/**
 * The index has these recipients in the order of their messages' identifiers, which is that of
 * their times but for the difference of clocks. So a page is read from it (`first`), then what may
 * belong in between (`beyond`).
 */
function farInOrder(workspaceId: number, parts: LeadParts, named: Fragment): Fragment {
  const { page, conditions } = parts
  const upwards = page.after !== null
  const result = (within: Fragment): Fragment => part`
      select m.id, m.created_at from (
        select distinct on (r.message_id) r.message_id as id from recipient r
        where r.workspace_id = ${workspaceId} and ${named} and ${conditions.mayBeBetween} and ${within}
        order by r.message_id ${upwards ? fragment`asc` : fragment`desc`}
      ) n
      -- One look-up by key each: a join might read every message.
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where ${passing(workspaceId, parts)}`
  const beyond = upwards
    ? fragment`r.message_id > (select id from first order by id desc limit 1)
          and r.message_id < facteur_events_from((select max(created_at) from first) + ${clocksDiffer})`
    : fragment`r.message_id < (select id from first order by id limit 1)
          and r.message_id >= facteur_events_from((select min(created_at) from first) - ${clocksDiffer})`
  return part`first as materialized (
      ${result(fragment`(select further from reach)`)}
      limit ${page.max}
    ), beyond as materialized (
      ${result(part`(select count(*) from first) = ${page.max} and ${beyond}`)}
    ), far as materialized (
      select m.id, m.created_at
      from (select id, created_at from first union all select id, created_at from beyond) m
      order by ${order(parts)} limit ${page.max}
    )`
}

/** Few messages wait, or are on their way: all that the index names are looked up. */
const farUnordered = (
  workspaceId: number,
  parts: LeadParts,
  named: Fragment,
): Fragment => part`far as materialized (
      select m.id, m.created_at from (
        select distinct r.message_id as id
        from recipient r
        where (select further from reach) and r.workspace_id = ${workspaceId} and ${named}
      ) n
      -- One look-up by key each: a join might read every message.
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where ${passing(workspaceId, parts)}
      order by ${order(parts)} limit ${parts.page.max}
    )`

/** The search index names tags with the time of their message. */
function farTagged(workspaceId: number, parts: LeadParts): Fragment {
  const { filter, page, conditions } = parts
  return part`tagged as materialized (
      select message_id as id, at as created_at from message_search
      where (select further from reach) and grams @> ${filter.tagGrams}::int[]
        and ${isOfWorkspaceByText(workspaceId)}
      union
      -- What the index may lack.
      select m.id, m.created_at from message m
      where (select further from reach) and m.workspace_id = ${workspaceId} and not m.notice
        and m.created_at >= ${indexedTo(workspaceId)}
    ), far as materialized (
      select m.id, m.created_at from (
        -- In the order of the page, so that messages are looked up only until it is full.
        select m.id from tagged m where ${conditions.between} order by ${order(parts)}
      ) n
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where ${passing(workspaceId, parts)}
      limit ${page.max}
    )`
}

/** `page`: those of these messages that are of the page. */
export const pageOfNamed = (
  workspaceId: number,
  parts: LeadParts,
  ids: readonly string[],
): Fragment => part`page as materialized (
      select m.id, m.created_at from unnest(${ids}::uuid[]) n (id)
      cross join lateral (select * from message where workspace_id = ${workspaceId} and id = n.id limit 1) m
      where ${passing(workspaceId, parts)} and (${parts.filter.recipient}::text is null or exists (
        select from recipient r
        where r.workspace_id = ${workspaceId} and r.message_id = m.id
          and r.address_key = ${parts.filter.recipient}
        offset 0))
      order by ${order(parts)} limit ${parts.page.max}
    )`
