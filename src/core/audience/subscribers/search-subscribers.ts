/**
 * Finds a workspace's subscribers by all filters at once, newest first. Each statement has a
 * limited amount of work: a page may hold few rows and say where the next one goes on.
 */
import { limits } from '../../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { SubscriberStatus } from '../../../contract/subscribers.ts'
import {
  countSample,
  searchIndexed,
  subscriberPage,
  subscribersOf,
  unsearchedPage,
  type FoundSubscriber,
} from '../../../db/audience/subscriber-search.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import {
  endOfWindow,
  nextOnLists,
  subscribersInWindow,
  type TraitScan,
} from '../../../db/audience/subscriber-traits.ts'
import type { Database } from '../../../database/client/database.ts'
import type { CallContext } from '../../context.ts'
import { fitting, readAfter, readCursor, writeCursor } from '../../input/cursor.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import { haystackOf, matches, readNeedle, type Needle } from '../../search-text.ts'
import { hasTraits, traitsAsked, type TraitFilter } from './traits.ts'

/**
 * Returns a page as the API lists it. A program's is full as long as there are more; a user does
 * not wait for more work than one page may have.
 */
export async function searchSubscribers(
  ctx: CallContext,
  { limit = limits.pageDefault, cursor, after, ...filter }: InputOf<'listSubscribers'>['query'],
): Promise<AnswerOf<'listSubscribers'>['body']> {
  const isFull = ctx.user === null
  const { status = null, q } = filter
  const patterns = readNeedle(ctx.workspaceId, q)?.patterns ?? null
  const binding = [ctx.workspaceId, 'subscribers', status, patterns, ...traitsAsked(filter)]
  // One row more than the page holds shows whether there are more.
  const max = isFull ? limit + 1 : limit
  let result = await findPage(ctx, {
    workspaceId: ctx.workspaceId,
    filter,
    max,
    before: readCursor(cursor, binding)?.id ?? readAfter(after),
  })
  for (const rowsMax = isFull ? max : 0; result.stopped && result.rows.length < rowsMax;) {
    const page = { max: max - result.rows.length, before: result.next?.id ?? null }
    const more = await findPage(ctx, { workspaceId: ctx.workspaceId, filter, ...page })
    result = { ...more, rows: [...result.rows, ...more.rows] }
  }
  const shown = result.rows.slice(0, limit).map(presentSubscriber)
  const data = shown.slice(0, fitting(shown))
  const next =
    data.length < result.rows.length ? (result.rows[data.length - 1] ?? null) : result.next
  return {
    object: 'list',
    data,
    has_more: next !== null,
    next_cursor:
      next === null ? '' : writeCursor({ at: next.createdAt.toISOString(), id: next.id }, binding),
  }
}

export interface AudienceFilter extends TraitFilter {
  status?: SubscriberStatus | undefined
  q?: string | undefined
}

interface FoundPage {
  rows: SubscriberRow[]
  /** The row after which the next page begins; null at the end. */
  next: { id: string; createdAt: Date } | null
  /** The limit of work ended the search before the page was full. */
  stopped: boolean
}

/**
 * Subscribers that one page examines at most: a tenth of a second. The next page continues from
 * there.
 */
const windowSize = 10_000

/**
 * Newest subscribers that are examined before the index: a trait of one in forty fills a page from
 * them.
 */
const nearWindow = 2_000

/**
 * From this many matches in the sample on, a text counts as common. Among over two thousand
 * matches, a scan finds the first fifty sooner than reading all index entries does.
 */
const commonMin = 16

/**
 * Subscribers without an index entry yet that are examined directly. If there are more, an import
 * added them, and the index has them soon.
 */
const unsearchedMax = 200

/**
 * Returns the page after `before`. It may hold fewer rows than exist; `next` then says where to
 * continue.
 */
export async function findPage(
  { db }: { db: Database },
  {
    workspaceId,
    filter,
    max,
    before,
  }: { workspaceId: number; filter: AudienceFilter; max: number; before: string | null },
): Promise<FoundPage> {
  const status = filter.status ?? null
  const needle = readNeedle(workspaceId, filter.q)
  const traits = traitsAsked(filter)
  const page = { status, max: max + 1, before }
  if (!needle && traits.length === 0) {
    const all = await subscriberPage(db, workspaceId, page)
    return cut(all, { max, uncutCount: all[0]?.uncutCount ?? 0 })
  }
  // Read before the index: a subscriber indexed meanwhile is found twice instead of never.
  const fresh = (await unsearchedPage(db, workspaceId, { ...page, max: unsearchedMax })).filter(
    (row) => needle === null || matches(needle, haystackOf(row)),
  )
  const known = await findKnown(db, workspaceId, { needle, traits, ...page })
  const ids = [...new Set([...known.rows, ...fresh].map(({ id }) => id))].filter(
    (id) => known.stop === null || id >= known.stop.id,
  )
  const whole = await subscribersOf(db, workspaceId, ids)
  // The index may be slightly out of date.
  const rows = whole.filter((row) => hasTraits(row, filter))
  const { rows: shown, next } = cut(rows, { max, uncutCount: rows.length })
  const wasCut = whole.length < (whole[0]?.uncutCount ?? 0)
  const end = next ?? (wasCut ? (whole.at(-1) ?? null) : known.stop)
  return { rows: shown, next: end, stopped: end === known.stop && end !== null }
}

/** `uncutCount`: the number of rows before the statement cut them at the byte limit. */
function cut(
  rows: SubscriberRow[],
  { max, uncutCount: row }: { max: number; uncutCount: number },
): FoundPage {
  const shown = rows.slice(0, max)
  return { rows: shown, next: row > shown.length ? (shown.at(-1) ?? null) : null, stopped: false }
}

interface Known {
  rows: FoundSubscriber[]
  /** The last subscriber that was examined. Null means all were. */
  stop: { id: string; createdAt: Date } | null
}

type TraitQuery = Omit<TraitScan, 'lead' | 'patterns' | 'upTo'> & { needle: Needle | null }

/**
 * 1. a text search examines the newest first, then all index entries if the text is rare
 * 2. else it scans the sparsest list from the newest entry
 */
async function findKnown(
  db: Database,
  workspaceId: number,
  { needle, ...query }: TraitQuery,
): Promise<Known> {
  const scan = { ...query, lead: null, upTo: null, patterns: needle?.patterns ?? null }
  if (needle && query.traits.length === 0) {
    const near = await subscribersInWindow(db, workspaceId, { ...scan, window: nearWindow })
    if (near.length === query.max) return full(near)
  }
  if (needle && (await countSample(db, workspaceId, needle, commonMin)) < commonMin) {
    const rows = await searchIndexed(db, workspaceId, needle, query)
    return rows.length === query.max ? full(rows) : { rows, stop: null }
  }
  const lead = await chooseLead(db, workspaceId, query)
  if (lead === 'nobody') return { rows: [], stop: null }
  const led = { ...scan, ...lead, window: windowSize }
  const rows = await subscribersInWindow(db, workspaceId, led)
  return rows.length === query.max
    ? full(rows)
    : { rows, stop: await endOfWindow(db, workspaceId, led) }
}

const full = (rows: FoundSubscriber[]): Known => ({ rows, stop: rows.at(-1) ?? null })

/** How many entries ahead a list's density is measured. */
const probe = 1_000

/**
 * Chooses the list to scan, and where to start. A subscriber on all lists is not newer than any
 * list's newest entry, so the oldest of those starts. The sparsest list is the one that reaches
 * furthest back after the same number of entries.
 */
async function chooseLead(
  db: Database,
  workspaceId: number,
  query: Pick<TraitQuery, 'traits' | 'status' | 'before'>,
): Promise<{ lead: number | null; traits: number[]; upTo: string | null } | 'nobody'> {
  const { traits, status } = query
  const [first] = traits
  if (first === undefined) return { lead: null, traits, upTo: null }
  if (traits.length === 1 && status === null) return { lead: first, traits: [], upTo: null }
  const [nexts, further] = await Promise.all([
    nextOnLists(db, workspaceId, { ...query, skip: 0 }),
    nextOnLists(db, workspaceId, { ...query, skip: probe }),
  ])
  const [upTo] = nexts.toSorted()
  if (nexts.includes(null) || !upTo) return 'nobody'
  const places = further.map((id) => id ?? '')
  // The list of the status follows those of the traits.
  const lead = traits[places.indexOf(places.toSorted()[0] ?? '')]
  return { lead: lead ?? null, traits: traits.filter((trait) => trait !== lead), upTo }
}
