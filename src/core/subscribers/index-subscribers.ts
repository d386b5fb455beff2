/** Makes subscribers found by what they are called: takes the notes of who is new or has another name, and writes the index. */
import { setImmediate as whenFree } from 'node:timers/promises'
import { retrying } from '../../db/connect.ts'
import type { Database } from '../../db/connect.ts'
import { searchedTexts, sortSearchIndex, takeUnsearched, writeSearched } from '../../db/subscriber-search.ts'
import type { SearchEntry } from '../../db/subscriber-search.ts'
import { foldTally } from '../../db/subscribers.ts'
import type { Context } from '../context.ts'
import { gramsOf, haystackOf } from './search-text.ts'

/** People that one transaction takes: the more, the less of the index is written for each. */
export const indexedAtOnce = 2_000

/** People whose pieces are computed without a pause, some ten microseconds each. */
const computedAtOnce = 200

/** Changes of the tally from which on they are folded. */
const foldedMin = 50

/** Writes the next people of a workspace into the index; answers how many there were. Fewer than `indexedAtOnce`: it is whole. */
export async function indexSubscribers(ctx: Pick<Context, 'db'>, workspaceId: number): Promise<number> {
  const taken = await retrying(() => ctx.db.transaction((tx) => index(tx, workspaceId)))
  if (taken > 0) await sortSearchIndex(ctx.db)
  if (taken < indexedAtOnce) await foldTally(ctx.db, workspaceId, foldedMin)
  return taken
}

async function index(tx: Database, workspaceId: number): Promise<number> {
  const ids = await takeUnsearched(tx, workspaceId, indexedAtOnce)
  const people = ids.length === 0 ? [] : await searchedTexts(tx, workspaceId, ids)
  const entries: SearchEntry[] = []
  for (const [place, person] of people.entries()) {
    if (place % computedAtOnce === 0) await whenFree()
    const haystack = haystackOf(person)
    entries.push({ id: person.id, haystack, grams: gramsOf(workspaceId, haystack) })
  }
  if (entries.length > 0) await writeSearched(tx, workspaceId, entries)
  return ids.length
}
