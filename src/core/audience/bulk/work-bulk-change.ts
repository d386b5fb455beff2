/**
 * Works off a batch of a change of many contacts. A killed process is followed by another, which
 * goes on behind the last stored contact; none is changed twice.
 */
import {
  claimBulkChange,
  type BulkReach,
  type ClaimedBulkChange,
} from '../../../db/audience/bulk/bulk-changes.ts'
import { frozenAfter } from '../../../db/audience/bulk/bulk-contacts.ts'
import { storeBulkBatch, type Working } from './bulk-batch.ts'
import { releaseContacts } from './release-contacts.ts'
import { writeBatch } from './write-batch.ts'

/** A batch takes a second at most, but for an erasure in a large workspace. */
const leaseSeconds = 60
/** A contact is tried so many times: each time ends with an error, or with its process. */
const attemptsMax = 3

/** Returns false where no change of this reach is due. */
export async function workBulkChange(
  ctx: Working,
  { workspaceId, reach }: { workspaceId: number; reach: BulkReach },
): Promise<boolean> {
  const change = await claimBulkChange(ctx.db, workspaceId, { leaseSeconds, reach })
  if (change === null) return false
  await ctx.failpoints?.hit('bulk.claimed')
  if (change.attempts > attemptsMax) await giveUpContact(ctx, { workspaceId, change })
  else if (change.action === 'unsubscribe' || change.action === 'erase')
    await releaseContacts(ctx, { workspaceId, change })
  else await writeBatch(ctx, { workspaceId, change })
  return true
}

/** Leaves out the contact that ended the turns before, so that the others have theirs. */
async function giveUpContact(
  ctx: Working,
  { workspaceId, change }: { workspaceId: number; change: ClaimedBulkChange },
): Promise<void> {
  const { id, position: after } = change
  const frozen = await frozenAfter(ctx.db, workspaceId, { id, after, max: 1 })
  const outcomes = frozen.map((contact) => ({
    id: contact.id,
    outcome: contact.outcome ?? 'failed',
  }))
  const isLast = frozen.length === 0
  await ctx.db.transaction((tx) =>
    storeBulkBatch(ctx, tx, workspaceId, { change, outcomes, isLast }),
  )
}
