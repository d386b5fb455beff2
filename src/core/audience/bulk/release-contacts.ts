/**
 * Unsubscribes or erases a batch of contacts, each by the verb for one. What became of a contact is
 * stored in the verb's own transaction; a repeated verb changes nothing, and completes what a killed
 * process left undone.
 */
import type { Database } from '../../../database/client/database.ts'
import {
  goesOn,
  holdBulkChange,
  type ClaimedBulkChange,
} from '../../../db/audience/bulk/bulk-changes.ts'
import {
  frozenAfter,
  storeOutcome,
  type FrozenContact,
} from '../../../db/audience/bulk/bulk-contacts.ts'
import { subscriberById } from '../../../db/audience/subscribers.ts'
import type { Leaving } from '../../suppression/suppress-address.ts'
import { unsubscribeSubscriber } from '../../suppression/unsubscribe-subscriber.ts'
import { eraseContact } from '../contacts/erase-contact.ts'
import { storeBulkBatch, takenBy, type ContactOutcome, type Working } from './bulk-batch.ts'

const batchSize = 50
/** A turn ends after the contact under way: single mails and other changes come between. */
const turnMs = 250

interface Releasing {
  workspaceId: number
  change: ClaimedBulkChange
}

export async function releaseContacts(ctx: Working, releasing: Releasing): Promise<void> {
  const { workspaceId, change } = releasing
  const { id, position: after } = change
  const max = takenBy(change, batchSize)
  const frozen = await frozenAfter(ctx.db, workspaceId, { id, after, max })
  const endsAtMs = ctx.clock.monotonicMs() + turnMs
  const outcomes: ContactOutcome[] = []
  for (const contact of frozen) {
    if (ctx.clock.monotonicMs() > endsAtMs || !(await goesOn(ctx.db, workspaceId, change))) break
    const outcome = await release(ctx, releasing, contact).catch((error: unknown) => {
      // The others are stored, and the next turn begins with this one.
      if (outcomes.length === 0) throw error
      return null
    })
    if (outcome === null) break
    outcomes.push({ id: contact.id, outcome })
    await ctx.failpoints?.hit('bulk.contact')
  }
  const isLast = frozen.length < max && outcomes.length === frozen.length
  await ctx.db.transaction((tx) =>
    storeBulkBatch(ctx, tx, workspaceId, { change, outcomes, isLast }),
  )
}

async function release(
  ctx: Working,
  { workspaceId, change }: Releasing,
  { id: subscriberId, outcome: stored }: FrozenContact,
): Promise<string> {
  const email =
    change.parameters.address ?? (await subscriberById(ctx.db, workspaceId, subscriberId))?.email
  if (email === undefined) return stored ?? 'gone'
  let result = stored ?? 'unchanged'
  const store = async (tx: Database, outcome: string): Promise<void> => {
    if ((await holdBulkChange(tx, workspaceId, change)) === null) throw new TakenByAnother()
    if (!ctx.failpoints?.broken('bulk.outcome'))
      await storeOutcome(tx, workspaceId, { id: change.id, subscriberId, outcome })
    result = stored ?? outcome
  }
  if (change.action === 'erase') {
    const erasure = await eraseContact(ctx, {
      ...{ workspaceId, email },
      beside: (tx) => store(tx, 'changed'),
    })
    return erasure.erased ? result : 'being_sent'
  }
  await unsubscribeSubscriber(ctx, {
    ...{ workspaceId, leaver: { subscriberId }, leaving: leavingOf(change) },
    beside: async (tx, changed) => {
      if (changed) await store(tx, 'changed')
    },
  })
  return result
}

/** As by hand, with the words of the member who confirmed it. */
const leavingOf = ({ userEmail, parameters: { reason } }: ClaimedBulkChange): Leaving => ({
  ...{ ip: null, userAgent: null, apiKeyId: null, campaignId: null, person: userEmail },
  source: 'workspace',
  shown: reason ?? null,
})

/** The contact stays as it is: the other process works it off. */
class TakenByAnother extends Error {
  constructor() {
    super('Another process works on this change')
  }
}
