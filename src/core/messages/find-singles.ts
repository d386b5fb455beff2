/**
 * Finds the next single messages of the log that match a filter, in the cheapest way
 * (docs/decisions/0021).
 */
import {
  amongNamed,
  countMatching,
  endOfIndexed,
  endOfLogWindow,
  indexedMatching,
  namedByStatus,
  newestMatching,
  newestOfStatus,
  type LogPage,
  type LogPosition,
} from '../../db/messages/message-log.ts'
import { messagePositions } from '../../db/messages/message-list.ts'
import { messagesToIndex, newestUnindexed } from '../../db/messages/message-search.ts'
import { messageLimit, stayingMessages } from '../../db/messages/staying-messages.ts'
import type { Database } from '../../database/client/database.ts'
import { isMessageStatus, type FoundInLog, type LogFilter } from './log-filter.ts'
import { matchesMessage } from '../message-index/message-text.ts'

/** The newest messages that are examined first: a match of one in forty fills a page from them. */
const nearSize = 2_000

/**
 * Up to this many matches in the sample of one in 128, all index entries are read: some eight
 * thousand.
 */
const readMax = 64

/** Up to this many messages of a status, all are read. */
const namedMax = 3_000

/** Messages that one page scans for common but distant matches; the next page continues. */
const scanSize = { byText: 30_000, byStatus: 10_000 }

/** Messages without an index entry that a search examines directly. */
const unindexedMax = 200

interface Parts {
  db: Database
}

interface Search {
  workspaceId: number
  filter: LogFilter
  page: LogPage
}

/**
 * Those that have expired are left out: of the ones older than the limit, only those that stay
 * follow.
 */
export async function findSingles(ctx: Parts, search: Search): Promise<FoundInLog<LogPosition>> {
  const { workspaceId, page } = search
  if (page.status !== null && !isMessageStatus(page.status)) return { places: [], reached: null }
  const [result, limit] = await Promise.all([
    findAny(ctx, search),
    messageLimit(ctx.db, workspaceId),
  ])
  const isWithin = ({ at }: LogPosition): boolean =>
    limit === null || Date.parse(at) >= limit.getTime()
  const { places, reached } = result
  const isFull = places.length === page.max
  if (
    limit === null ||
    (places.every(isWithin) && (isFull || (reached !== null && isWithin(reached))))
  )
    return result
  const within = places.filter(isWithin)
  return {
    places: [...within, ...(await findStaying(ctx, search, limit))].slice(0, page.max),
    reached: null,
  }
}

async function findStaying(
  { db }: Parts,
  { workspaceId, filter, page }: Search,
  limit: Date,
): Promise<LogPosition[]> {
  const ids = await stayingMessages(db, workspaceId, {
    since: limit,
    before: page.before,
    until: null,
    after: null,
    recipient: null,
  })
  if (ids.length === 0) return []
  const matching =
    filter.needle === null
      ? ids
      : (await messagesToIndex(db, workspaceId, ids))
          .filter((message) => matchesMessage(filter.ask, message))
          .map(({ id }) => id)
  return amongNamed(db, workspaceId, matching, { ...page, needle: null })
}

async function findAny(
  ctx: Parts,
  { workspaceId, filter, page }: Search,
): Promise<FoundInLog<LogPosition>> {
  if (filter.needle === null) return findByStatus(ctx, workspaceId, page)
  // Read first: a message indexed meanwhile is found twice instead of never.
  const fresh = await newestUnindexed(ctx.db, workspaceId, unindexedMax)
  const indexed = await findByText(ctx, workspaceId, filter.needle, page)
  const named = fresh.filter((message) => matchesMessage(filter.ask, message)).map(({ id }) => id)
  if (named.length === 0) return indexed
  const result = await amongNamed(ctx.db, workspaceId, named, { ...page, needle: null })
  const distinct = [
    ...new Map([...indexed.places, ...result].map((position) => [position.id, position])).values(),
  ].toSorted(newestFirst)
  return { places: distinct.slice(0, page.max), reached: indexed.reached }
}

export const newestFirst = (a: LogPosition, b: LogPosition): number =>
  a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? 1 : -1

/**
 * By an index in the order of the log, where the status has one. Else 1. all messages of that
 * status if they are few. 2. the newest.
 * 3. if those were not enough: as many more as one page may scan.
 */
async function findByStatus(
  { db }: Parts,
  workspaceId: number,
  page: LogPage,
): Promise<FoundInLog<LogPosition>> {
  if (page.status !== 'queued' && page.status !== 'sent') {
    const { since, status, ...requested } = page
    return {
      places: await messagePositions(
        db,
        workspaceId,
        { ...anyMessage, since, status },
        { ...requested, after: null },
      ),
      reached: null,
    }
  }
  const named = await namesOf(db, workspaceId, page)
  if (named)
    return {
      places: await amongNamed(db, workspaceId, named, { ...page, needle: null }),
      reached: null,
    }
  const near = await newestOfStatus(db, workspaceId, page, nearSize)
  if (near.length === page.max) return { places: near, reached: null }
  const far = await newestOfStatus(db, workspaceId, page, scanSize.byStatus)
  if (far.length === page.max) return { places: far, reached: null }
  return { places: far, reached: await endOfLogWindow(db, workspaceId, page, scanSize.byStatus) }
}

const anyMessage = { recipient: null, tagName: null, tagValue: null, tagGrams: [], until: null }

/** The same for a text; before the last step, all index entries of the text if they are few. */
async function findByText(
  { db }: Parts,
  workspaceId: number,
  needle: NonNullable<LogFilter['needle']>,
  page: LogPage,
): Promise<FoundInLog<LogPosition>> {
  const near = await newestMatching(db, workspaceId, needle, page, nearSize)
  if (near.length === page.max) return { places: near, reached: null }
  const isCommon =
    needle.grams.length === 0 || (await countMatching(db, workspaceId, needle, readMax)) === readMax
  if (!isCommon)
    return { places: await indexedMatching(db, workspaceId, needle, page), reached: null }
  const named = await namesOf(db, workspaceId, page)
  if (named)
    return { places: await amongNamed(db, workspaceId, named, { ...page, needle }), reached: null }
  const window = page.status === null ? scanSize.byText : scanSize.byStatus
  const far = await newestMatching(db, workspaceId, needle, page, window)
  if (far.length === page.max) return { places: far, reached: null }
  return { places: far, reached: await endOfIndexed(db, workspaceId, page, window) }
}

/** Returns null when no status is requested, or too many messages have it. */
async function namesOf(
  db: Database,
  workspaceId: number,
  { status }: LogPage,
): Promise<string[] | null> {
  if (status === null || !isMessageStatus(status)) return null
  const named = await namedByStatus(db, workspaceId, status, namedMax + 1)
  return named.length > namedMax ? null : named
}
