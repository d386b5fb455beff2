/** Freezes the contacts of a selection, in a transaction of one moment. */
import { ApiError } from '../../../contract/errors.ts'
import { bulkLimits } from '../../../contract/workspace/bulk-limits.ts'
import type { Database } from '../../../database/client/database.ts'
import { freezeAddress, freezeContacts } from '../../../db/audience/bulk/bulk-contacts.ts'
import type { Context } from '../../context.ts'
import { selectionOf } from '../segments/select-contacts.ts'
import { findPage, type AudienceFilter } from '../subscribers/search-subscribers.ts'
import type { ReadSelection } from './read-selection.ts'

type Freezing = Pick<Context, 'clock'> & { db: Database; workspaceId: number }

const timeoutMs = bulkLimits.freezeSecondsMax * 1_000
const path = 'selection.matching.definition'
/** Contacts that the list's search finds at a time. */
const pageSize = 1_000

/** Answers how many there are. */
export async function freezeSelection(
  ctx: Freezing,
  { id, selected }: { id: string; selected: ReadSelection },
): Promise<number> {
  if ('address' in selected) return freezeAddress(ctx.db, ctx.workspaceId, id)
  const written = 'ids' in selected ? { all: [] } : selected.written
  const selection = await selectionOf(ctx, { written, path })
  const freeze = (among: string[] | null): Promise<number> =>
    freezeContacts(ctx.db, selection, { id, among, timeoutMs })
  if ('ids' in selected) return freeze([...new Set(selected.ids)])
  return selected.filter === null ? freeze(null) : freezeFound(ctx, selected.filter, freeze)
}

/** By the list's own search, so that both find the same. */
async function freezeFound(
  ctx: Freezing,
  filter: AudienceFilter,
  freeze: (among: string[]) => Promise<number>,
): Promise<number> {
  const endsAtMs = ctx.clock.monotonicMs() + timeoutMs
  let contacts = 0
  for (let before: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof findPage>> = await findPage(ctx, {
      ...{ workspaceId: ctx.workspaceId, filter, max: pageSize, before },
    })
    if (page.rows.length > 0) contacts += await freeze(page.rows.map((row) => row.id))
    if (page.next === null) return contacts
    if (ctx.clock.monotonicMs() > endsAtMs)
      throw new ApiError('conflict', {
        reason: 'segment_timed_out',
        seconds: bulkLimits.freezeSecondsMax,
      })
    before = page.next.id
  }
}
