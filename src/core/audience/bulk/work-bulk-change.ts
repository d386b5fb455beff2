/**
 * Works off a batch of a change of many contacts. A killed process is followed by another, which
 * goes on behind the last stored contact; none is changed twice.
 */
import type { Context } from '../../context.ts'
import {
  advanceBulkChange,
  claimBulkChange,
  holdBulkChange,
  type ClaimedBulkChange,
} from '../../../db/audience/bulk/bulk-changes.ts'
import type { Database } from '../../../database/client/database.ts'
import { releaseContacts } from './release-contacts.ts'
import { writeBatch } from './write-batch.ts'

export type Working = Pick<Context, 'db' | 'clock' | 'makeId' | 'failpoints' | 'wake'>

/** A batch takes a second at most, but for an erasure in a large workspace. */
const leaseSeconds = 60

/** What became of a contact: `changed`, or why it stays as it is. */
export interface Outcome {
  id: string
  outcome: string
}

/** Returns false where no change is due. */
export async function workBulkChange(ctx: Working, workspaceId: number): Promise<boolean> {
  const change = await claimBulkChange(ctx.db, workspaceId, leaseSeconds)
  if (change === null) return false
  await ctx.failpoints?.hit('bulk.claimed')
  if (change.action === 'unsubscribe' || change.action === 'erase')
    await releaseContacts(ctx, { workspaceId, change })
  else await writeBatch(ctx, { workspaceId, change })
  return true
}

/** Stores the result of a batch, unless another process has taken the change. */
export async function storeBatch(
  tx: Database,
  workspaceId: number,
  { change, outcomes, isLast }: { change: ClaimedBulkChange; outcomes: Outcome[]; isLast: boolean },
): Promise<void> {
  if (!(await holdBulkChange(tx, workspaceId, change))) return
  const leftOut: Record<string, number> = { ...change.leftOut }
  const others = outcomes.filter(({ outcome }) => outcome !== 'changed')
  for (const { outcome } of others) leftOut[outcome] = (leftOut[outcome] ?? 0) + 1
  await advanceBulkChange(tx, workspaceId, {
    ...{ id: change.id, fence: change.fence, leftOut, isLast },
    position: outcomes.at(-1)?.id ?? null,
    done: outcomes.length,
    changed: outcomes.length - others.length,
  })
}
