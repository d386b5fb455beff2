/**
 * POST /subscribers/batch: adds many subscribers, each with a result of its own.
 *
 * 1. a repeated call gets the answer of the first
 * 2. read each entry, and count it against the rate
 * 3. in one transaction: all that is stored, and the answer under its key
 */
import type { Database } from '../../../../database/client/database.ts'
import { retrying } from '../../../../database/client/retrying.ts'
import { confirmationPaceOf } from '../../../../db/audience/confirmation-pace.ts'
import { suppressionsOf } from '../../../../db/suppression/suppressions.ts'
import type { CallContext } from '../../../context.ts'
import { followSuppression } from '../../../suppression/suppress-address.ts'
import type { Verb } from '../../../verb.ts'
import {
  KeyTaken,
  claimKey,
  earlierAnswer,
  readKeyedCall,
  type KeyedCall,
} from '../../keyed-call.ts'
import { presentBatch, type BatchResults } from './batch-result.ts'
import { emailOfEntry, readBatch } from './read-batch.ts'
import { storeEntries, type StoredBatch } from './store-batch.ts'

export const addSubscriberBatch: Verb<'addSubscriberBatch'> = async (ctx, { body, headers }) => {
  const emails = body.map(emailOfEntry)
  const keyed = readKeyedCall(headers['idempotency-key'], () => ['subscribers', body])
  for (;;) {
    // Written by `addAll()` for the same body.
    const earlier = keyed && ((await earlierAnswer(ctx, keyed)) as BatchResults | null)
    if (earlier)
      return {
        body: presentBatch(ctx, { emails, batch: earlier }),
        headers: { 'Idempotent-Replay': 'true' },
      }
    const batch = await addAll(ctx, { body, keyed })
    if (batch) return { body: presentBatch(ctx, { emails, batch }) }
  }
}

/** Null if a call with the same key committed first, and nothing of this one is stored. */
async function addAll(
  ctx: CallContext,
  { body, keyed }: { body: unknown[]; keyed: KeyedCall | null },
): Promise<BatchResults | null> {
  const { entries, refused } = await readBatch(ctx, body)
  const work = async (tx: Database): Promise<{ stored: StoredBatch; batch: BatchResults }> => {
    const stored = await storeEntries(ctx, tx, entries)
    const { perMinute } = await confirmationPaceOf(tx, ctx.workspaceId)
    const all = new Map([...refused, ...stored.results])
    const batch = { results: body.flatMap((_, index) => all.get(index) ?? []), perMinute }
    if (keyed) await claimKey(ctx, tx, { ...keyed, answer: batch })
    return { stored, batch }
  }
  try {
    const { stored, batch } = await retrying(() => ctx.db.transaction(work))
    await wakeAndFollow(ctx, stored)
    return batch
  } catch (error) {
    if (error instanceof KeyTaken) return null
    throw error
  }
}

async function wakeAndFollow(ctx: CallContext, { stored, pending }: StoredBatch): Promise<void> {
  if (stored.some(({ askedAt }) => askedAt !== null)) ctx.wake('transactional')
  ctx.wake('subscribers')
  if (pending > 0) ctx.wake('webhook')
  // A call that suppressed an address at the same moment may not have seen the new subscriber.
  const added = stored.flatMap(({ row, created }) => (created ? [row.email] : []))
  const entries = added.length === 0 ? [] : await suppressionsOf(ctx.db, ctx.workspaceId, added)
  for (const { email } of entries)
    await followSuppression(ctx, { workspaceId: ctx.workspaceId, email })
}
