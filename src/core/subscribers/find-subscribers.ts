/** GET /audience: the people of a workspace by every filter at once, newest first; a page never looks through more than it has time for. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import {
  countSample,
  searchIndexed,
  subscriberPage,
  subscribersOf,
  unsearchedPage,
} from '../../db/subscribers/subscriber-search.ts'
import type { FoundSubscriber } from '../../db/subscribers/subscriber-search.ts'
import type { SubscriberRow } from '../../db/subscribers/subscribers.ts'
import { endOfWindow, nextOnLists, subscribersAlong } from '../../db/subscribers/subscriber-traits.ts'
import type { TraitScan } from '../../db/subscribers/subscriber-traits.ts'
import type { CallContext, Context } from '../context.ts'
import { fitting, readCursor, writeCursor } from '../input/cursor.ts'
import { haystackOf, matches, readNeedle } from '../search-text.ts'
import type { Needle } from '../search-text.ts'
import { presentSubscriber } from '../presentation/present-subscriber.ts'
import { hasTraits, traitsAsked } from './traits.ts'
import type { TraitFilter } from './traits.ts'

export async function findSubscribers(
  ctx: CallContext,
  { query }: InputOf<'findSubscribers'>,
): Promise<AnswerOf<'findSubscribers'>> {
  const { limit = limits.pageDefault, cursor, ...filter } = query
  const binding = [ctx.workspaceId, 'audience', filter]
  const before = readCursor(cursor, binding)?.id ?? null
  const found = await findPage(ctx, ctx.workspaceId, filter, { most: limit, before })
  const shown = found.rows.map(presentSubscriber)
  const data = shown.slice(0, fitting(shown))
  const next = data.length < shown.length ? (found.rows[data.length - 1] ?? null) : found.next
  return {
    body: {
      object: 'list',
      data,
      has_more: next !== null,
      next_cursor: next === null ? '' : writeCursor({ at: next.createdAt.toISOString(), id: next.id }, binding),
    },
  }
}

export interface AudienceFilter extends TraitFilter {
  status?: SubscriberStatus | undefined
  q?: string | undefined
}

interface FoundPage {
  rows: SubscriberRow[]
  /** Behind whom it goes on; null at the end. */
  next: { id: string; createdAt: Date } | null
}

/** People whom one page looks through at most: a tenth of a second. What it did not come to is the next page's. */
const windowSize = 10_000

/** How many of the newest are looked through before an index is asked: what one in forty has fills a page there. */
const nearWindow = 2_000

/** Matches in the sample from which on something is common (list-subscribers.ts). */
const commonMin = 16

/** People whom the index does not know yet that are looked at beside it. */
const unsearchedMost = 200

/** The page after `before`; it may hold fewer than there are, and then says where the next one goes on. */
export async function findPage(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  filter: AudienceFilter,
  { most, before }: { most: number; before: string | null },
): Promise<FoundPage> {
  const status = filter.status ?? null
  const needle = readNeedle(workspaceId, filter.q)
  const traits = traitsAsked(filter)
  const page = { status, most: most + 1, before }
  if (!needle && traits.length === 0) {
    const all = await subscriberPage(db, workspaceId, page)
    return cut(all, { most, found: all[0]?.found ?? 0 })
  }
  const fresh = (await unsearchedPage(db, workspaceId, { ...page, most: unsearchedMost })).filter(
    (row) => needle === null || matches(needle, haystackOf(row)),
  )
  const known = await findKnown(db, workspaceId, { needle, traits, ...page })
  const ids = [...new Set([...known.rows, ...fresh].map(({ id }) => id))].filter(
    (id) => known.stop === null || id >= known.stop.id,
  )
  const whole = await subscribersOf(db, workspaceId, ids)
  // The index may say of somebody what they were a moment ago.
  const rows = whole.filter((row) => hasTraits(row, filter))
  const { rows: shown, next } = cut(rows, { most, found: rows.length })
  const wasCut = whole.length < (whole[0]?.found ?? 0)
  return { rows: shown, next: next ?? (wasCut ? (whole.at(-1) ?? null) : known.stop) }
}

/** `found`: how many there were before the statement cut them at their bytes. */
function cut(rows: SubscriberRow[], { most, found }: { most: number; found: number }): FoundPage {
  const shown = rows.slice(0, most)
  return { rows: shown, next: found > shown.length ? (shown.at(-1) ?? null) : null }
}

interface Known {
  rows: FoundSubscriber[]
  /** Up to whom was looked; null: to the end. */
  stop: { id: string; createdAt: Date } | null
}

type Wanted = Omit<TraitScan, 'lead' | 'patterns' | 'upTo'> & { needle: Needle | null }

/**
 * 1. what is looked for by name: the newest first, and all that the index names if that is rare
 * 2. else the sparsest list is walked from the newest on
 */
async function findKnown(db: Context['db'], workspaceId: number, { needle, ...wanted }: Wanted): Promise<Known> {
  const walk = { ...wanted, lead: null, upTo: null, patterns: needle?.patterns ?? null }
  if (needle && wanted.traits.length === 0) {
    const near = await subscribersAlong(db, workspaceId, { ...walk, window: nearWindow })
    if (near.length === wanted.most) return full(near)
  }
  if (needle && (await countSample(db, workspaceId, needle, commonMin)) < commonMin) {
    const rows = await searchIndexed(db, workspaceId, needle, wanted)
    return rows.length === wanted.most ? full(rows) : { rows, stop: null }
  }
  const lead = await chooseLead(db, workspaceId, wanted)
  if (lead === 'nobody') return { rows: [], stop: null }
  const led = { ...walk, ...lead, window: windowSize }
  const rows = await subscribersAlong(db, workspaceId, led)
  return rows.length === wanted.most ? full(rows) : { rows, stop: await endOfWindow(db, workspaceId, led) }
}

const full = (rows: FoundSubscriber[]): Known => ({ rows, stop: rows.at(-1) ?? null })

/** So far ahead it is looked how sparse a list is. */
const probe = 1_000

/**
 * Along which list to walk, and from where. Lists that were made at different times have nobody in common before the one begins
 * whose newest is the oldest. Of those that are left the sparsest is taken: the one that is furthest back after as many people.
 */
async function chooseLead(
  db: Context['db'],
  workspaceId: number,
  wanted: Pick<Wanted, 'traits' | 'status' | 'before'>,
): Promise<{ lead: number | null; traits: number[]; upTo: string | null } | 'nobody'> {
  const { traits, status } = wanted
  const [first] = traits
  if (first === undefined) return { lead: null, traits, upTo: null }
  if (traits.length === 1 && status === null) return { lead: first, traits: [], upTo: null }
  const [nexts, further] = await Promise.all([
    nextOnLists(db, workspaceId, { ...wanted, skip: 0 }),
    nextOnLists(db, workspaceId, { ...wanted, skip: probe }),
  ])
  const [upTo] = nexts.toSorted()
  if (nexts.includes(null) || !upTo) return 'nobody'
  const places = further.map((id) => id ?? '')
  // Behind those of the traits stands that of the status.
  const lead = traits[places.indexOf(places.toSorted()[0] ?? '')]
  return { lead: lead ?? null, traits: traits.filter((trait) => trait !== lead), upTo }
}
