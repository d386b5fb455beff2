/**
 * Freezes the contacts of a segment for a file: they are chosen once, by one statement, and read in
 * pages afterwards.
 */
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import type { Condition } from '../../../contract/segments.ts'
import { selectedIds, subscribersWithIds } from '../../../db/audience/segments/segment-members.ts'
import type { SelectedIds } from '../../../db/audience/segments/selected-ids.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { CallContext } from '../../context.ts'
import { readSelected } from './select-contacts.ts'

const { exportSecondsMax: seconds } = segmentLimits

/** Contacts that one statement reads. */
const pageSize = 5_000

export interface FrozenMembers {
  /** The instant that days are counted back from. */
  at: Date
  count: number
  /** As they are when they are read, newest first; without those who were erased meanwhile. */
  pages: AsyncIterable<SubscriberRow[]>
}

/** In the workspace's turn, once. Throws `conflict`, `rate_limit_exceeded`, `validation_error`. */
export async function freezeMembers(
  ctx: Pick<CallContext, 'segmentDb' | 'workspaceId' | 'left'>,
  written: Condition,
): Promise<FrozenMembers> {
  const { at, ids } = await readSelected(ctx, {
    ...{ written, seconds },
    read: async (tx, selection) => ({
      at: selection.context.at,
      ids: await selectedIds(tx, selection, seconds * 1_000),
    }),
  })
  return { at, count: ids.count, pages: pagesOf(ctx, ids) }
}

async function* pagesOf(
  { segmentDb, workspaceId }: Pick<CallContext, 'segmentDb' | 'workspaceId'>,
  ids: SelectedIds,
): AsyncGenerator<SubscriberRow[]> {
  for (let begin = 0; begin < ids.count; begin += pageSize)
    yield await subscribersWithIds(segmentDb, workspaceId, ids.between(begin, begin + pageSize))
}
