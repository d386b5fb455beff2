/**
 * Works off a batch of a change of many contacts. A killed process is followed by another, which
 * goes on behind the last stored contact; none is changed twice.
 */
import { claimBulkChange } from '../../../db/audience/bulk/bulk-changes.ts'
import type { Working } from './bulk-batch.ts'
import { releaseContacts } from './release-contacts.ts'
import { writeBatch } from './write-batch.ts'

/** A batch takes a second at most, but for an erasure in a large workspace. */
const leaseSeconds = 60

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
