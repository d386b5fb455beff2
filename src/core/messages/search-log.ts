/**
 * Searches the log: single messages and mails of campaigns together, newest first, merged by time.
 */
import type { MessageQuery } from '../../contract/workspace/messages.ts'
import type { CampaignMailPosition } from '../../db/campaigns/campaign-mails.ts'
import type { LogPage, LogPosition } from '../../db/messages/message-log.ts'
import type { Database } from '../../database/client/database.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'
import { readMessageNeedle, wordsOf, type MessageAsk } from '../message-index/message-text.ts'
import { findCampaignMails } from './find-campaign-mails.ts'
import { findSingles } from './find-singles.ts'
import type { FoundInLog, LogFilter } from './log-filter.ts'

/** A line's position in the whole log; only campaign mails have a `subscriberId`. */
export interface LinePosition extends LogPosition {
  subscriberId: string | null
}

/** What a query asks for: one search, or several of which any may match. */
export interface LogSearch {
  filters: LogFilter[]
  since: string | null
  until: string | null
}

type Filter = Omit<MessageQuery, 'cursor' | 'limit' | 'status'>

/** Throws `validation_error` for a time that is none. */
export function readSearch(workspaceId: number, query: Filter): LogSearch {
  return {
    filters: asksOf(query).map((ask) => ({
      ...{ kind: query.kind ?? null, ask },
      needle: readMessageNeedle(workspaceId, ask),
    })),
    since: query.since === undefined ? null : rfc3339(readTime(query.since, 'since')),
    until: query.until === undefined ? null : rfc3339(readTime(query.until, 'until')),
  }
}

/** No address has a space in it, and no words of a subject are sought by an address. */
function asksOf({ q = '', recipient, subject, tag: requested }: Filter): MessageAsk[] {
  const [text, tag] = [q.trim(), requested || null]
  if (text === '') return [{ recipient: recipient || null, subject: subject || null, tag }]
  const byAddress = /\s/.test(text) ? [] : [{ recipient: text, subject: null, tag }]
  const hasWords = !text.includes('@') && wordsOf(text).length > 0
  return hasWords ? [...byAddress, { recipient: null, subject: text, tag }] : byAddress
}

interface LogRequest {
  search: LogSearch
  status: string | null
  /** Null: from the newest on. */
  before: LinePosition | null
  limit: number
}

interface Caller {
  db: Database
  workspaceId: number
}

export interface LogResult {
  lines: LinePosition[]
  /** Nothing older matches. */
  isWhole: boolean
  /** Where the next page begins. */
  next: LinePosition | null
}

/** The first `limit` lines behind `before`. */
export async function searchLog(
  ctx: Caller,
  { search: { filters, since, until }, status, before, limit }: LogRequest,
): Promise<LogResult> {
  const page = { since, until, status, max: limit + 1 }
  const logs = await Promise.all(filters.map((filter) => findBoth(ctx, filter, page, before)))
  return mergeFound(logs.flat(), limit)
}

async function findBoth(
  ctx: Caller,
  filter: LogFilter,
  page: Omit<LogPage, 'before'> & { until: string | null },
  before: LinePosition | null,
): Promise<FoundInLog<LinePosition>[]> {
  const none = { places: [], reached: null }
  const [singles, campaigns] = await Promise.all([
    filter.kind === 'campaign'
      ? none
      : findSingles(ctx, {
          workspaceId: ctx.workspaceId,
          filter,
          page: { ...page, before: singleBefore(before, page.until) },
        }),
    filter.kind === 'single'
      ? none
      : findCampaignMails(ctx, {
          workspaceId: ctx.workspaceId,
          ...filter,
          page: { ...page, before },
        }),
  ])
  return [asLines(singles), asLines(campaigns)]
}

/**
 * After a campaign's mail come the messages of the same moment with an identifier smaller than the
 * campaign's.
 */
function singleBefore(before: LinePosition | null, until: string | null): LogPosition | null {
  const location = before && { at: before.at, id: before.id }
  // In microseconds, like positions.
  const end =
    until === null
      ? null
      : { at: until.replace('Z', '000Z'), id: '00000000-0000-0000-0000-000000000000' }
  return location === null || (end !== null && end.at <= location.at) ? (end ?? location) : location
}

const asLines = (
  result: FoundInLog<LogPosition | CampaignMailPosition>,
): FoundInLog<LinePosition> => ({
  places: result.places.map(asLine),
  reached: result.reached && asLine(result.reached),
})

const asLine = (location: LogPosition | CampaignMailPosition): LinePosition => ({
  ...{ at: location.at, id: location.id },
  subscriberId: 'subscriberId' in location ? location.subscriberId : null,
})

/** Negative if `a` is newer. */
const order = (a: LinePosition, b: LinePosition): number =>
  compare(b.at, a.at) || compare(b.id, a.id) || compare(b.subscriberId ?? '', a.subscriberId ?? '')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Merges both kinds into one page. If the search in one of them stopped early, nothing older than
 * its position may be shown yet.
 */
function mergeFound(result: FoundInLog<LinePosition>[], limit: number): LogResult {
  const reached =
    result.flatMap((log) => (log.reached ? [log.reached] : [])).toSorted(order)[0] ?? null
  const all = distinct(result.flatMap(({ places }) => places)).toSorted(order)
  const sure = reached ? all.filter((position) => order(position, reached) <= 0) : all
  const lines = sure.slice(0, limit)
  if (sure.length > limit) return { lines, isWhole: false, next: lines.at(-1) ?? null }
  return { lines, isWhole: reached === null, next: reached }
}

/** What several searches found is one line. */
const distinct = (lines: LinePosition[]): LinePosition[] => [
  ...new Map(lines.map((line) => [`${line.id}.${line.subscriberId}`, line])).values(),
]
