/** Indexes new and changed subscribers by names, address and traits, so that searches find them. */
import { setImmediate as whenFree } from 'node:timers/promises'
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  searchedTexts,
  sortSearchIndex,
  takeUnsearched,
  writeSearched,
  type SearchEntry,
} from '../../../db/audience/subscriber-search.ts'
import {
  addTraits,
  dropTraits,
  markUntraited,
  type SubscriberTrait,
} from '../../../db/audience/subscriber-traits.ts'
import { foldTally } from '../../../db/audience/subscribers.ts'
import type { Context } from '../../context.ts'
import { gramsOf, haystackOf } from '../../search-text.ts'
import { traitsOf } from './traits.ts'

/** Subscribers per transaction: with more of them, the index writes less for each. */
export const indexedAtOnce = 2_000

/** Subscribers whose search pieces are computed without a pause, some ten microseconds each. */
const computedAtOnce = 200

/** The number of tally changes from which on they are folded. */
const foldedMin = 50

/**
 * Indexes the next subscribers of a workspace and returns how many. With fewer than
 * `indexedAtOnce`, the index is complete.
 */
export async function indexSubscribers(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
): Promise<number> {
  const taken = await retrying(() => ctx.db.transaction((tx) => index(tx, workspaceId)))
  if (taken > 0) await sortSearchIndex(ctx.db)
  if (taken === indexedAtOnce) return taken
  await foldTally(ctx.db, workspaceId, foldedMin)
  // Subscribers that were indexed before traits existed are indexed once more.
  return (await markUntraited(ctx.db, workspaceId, indexedAtOnce)) > 0 ? indexedAtOnce : taken
}

async function index(tx: Database, workspaceId: number): Promise<number> {
  const ids = await takeUnsearched(tx, workspaceId, indexedAtOnce)
  const contacts = ids.length === 0 ? [] : await searchedTexts(tx, workspaceId, ids)
  const entries: SearchEntry[] = []
  const [come, gone]: [SubscriberTrait[], SubscriberTrait[]] = [[], []]
  for (const [position, contact] of contacts.entries()) {
    if (position % computedAtOnce === 0) await whenFree()
    const { id } = contact
    const haystack = haystackOf(contact)
    const traits = traitsOf(contact).toSorted((a, b) => a - b)
    entries.push({ id, haystack, grams: gramsOf(workspaceId, haystack), traits })
    const [had, has] = [new Set(contact.traits), new Set(traits)]
    for (const trait of traits) if (!had.has(trait)) come.push({ id, trait })
    for (const trait of contact.traits) if (!has.has(trait)) gone.push({ id, trait })
  }
  if (entries.length > 0) await writeSearched(tx, workspaceId, entries)
  if (come.length > 0) await addTraits(tx, workspaceId, come)
  if (gone.length > 0) await dropTraits(tx, workspaceId, gone)
  return ids.length
}
