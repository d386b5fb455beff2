/** What became of a batch of a change of many contacts, and how it is stored. */
import type { Context } from '../../context.ts'
import {
  advanceBulkChange,
  holdBulkChange,
  type ClaimedBulkChange,
} from '../../../db/audience/bulk/bulk-changes.ts'
import { insertAuditEntries } from '../../../db/audit/audit-entries.ts'
import type { Database } from '../../../database/client/database.ts'
import { dropFrozen } from './drop-frozen.ts'

export type Working = Pick<Context, 'db' | 'clock' | 'makeId' | 'failpoints' | 'wake'>

/** What became of a contact: `changed`, or why it stays as it is. */
export interface ContactOutcome {
  id: string
  outcome: string
}

/**
 * How many contacts a turn takes of `size`: one, after a turn of which nothing was stored. The next
 * turn knows then which contact ends turns.
 */
export const takenBy = ({ attempts }: ClaimedBulkChange, size: number): number =>
  attempts > 1 ? 1 : size

/**
 * Stores the result of a batch, unless another process has taken the change. The audit log has when
 * it ended, and how many it changed.
 */
export async function storeBulkBatch(
  { makeId }: Pick<Working, 'makeId'>,
  tx: Database,
  workspaceId: number,
  {
    change,
    outcomes,
    isLast,
  }: { change: ClaimedBulkChange; outcomes: ContactOutcome[]; isLast: boolean },
): Promise<void> {
  const claim = await holdBulkChange(tx, workspaceId, change)
  if (claim === null) return
  const leftOut: Record<string, number> = { ...change.leftOut }
  const others = outcomes.filter(({ outcome }) => outcome !== 'changed')
  for (const { outcome } of others) leftOut[outcome] = (leftOut[outcome] ?? 0) + 1
  await advanceBulkChange(tx, workspaceId, {
    ...{ id: change.id, fence: change.fence, leftOut, isLast },
    position: outcomes.at(-1)?.id ?? null,
    done: outcomes.length,
    changed: outcomes.length - others.length,
  })
  const isEnd = isLast || claim === 'stopping'
  const among = isEnd ? null : outcomes.map(({ id }) => id)
  await dropFrozen(tx, workspaceId, { id: change.id, among })
  if (!isEnd) return
  const changed = change.changed + outcomes.length - others.length
  await insertAuditEntries(tx, workspaceId, [
    {
      ...{ id: makeId(), userId: null, who: change.userEmail, ip: null },
      ...{ act: 'subscribers.change_ended', subject: '' },
      details: JSON.stringify({
        ...{ id: change.id, action: change.action, stopped: !isLast, changed },
      }),
    },
  ])
}
