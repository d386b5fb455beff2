/** Tags, untags or sets a field of a batch of contacts: all of it in one transaction, or nothing. */
import type { Database } from '../../../database/client/database.ts'
import { holdBulkChange, type ClaimedBulkChange } from '../../../db/audience/bulk/bulk-changes.ts'
import {
  frozenAfter,
  writeContacts,
  type WrittenContact,
} from '../../../db/audience/bulk/bulk-contacts.ts'
import { fieldOf, makeTags } from '../../../db/audience/subscriber-fields.ts'
import { publishSubscriberChanges } from '../../events/subscriber-events.ts'
import { fits } from '../fields/field-values.ts'
import { storeBulkBatch, takenBy, type ContactOutcome, type Working } from './bulk-batch.ts'

/** Their locks are short: a batch is a few hundredths of a second. */
const batchSize = 200

export async function writeBatch(
  ctx: Working,
  { workspaceId, change }: { workspaceId: number; change: ClaimedBulkChange },
): Promise<void> {
  const pending = await ctx.db.transaction(async (tx) => {
    // A stop waits until this batch is stored.
    const claim = await holdBulkChange(tx, workspaceId, change)
    if (claim === null) return 0
    if (claim === 'stopping') {
      await storeBulkBatch(ctx, tx, workspaceId, { change, outcomes: [], isLast: false })
      return 0
    }
    const { id, position: after } = change
    const max = takenBy(change, batchSize)
    const frozen = await frozenAfter(tx, workspaceId, { id, after, max })
    const ids = frozen.map((contact) => contact.id)
    const written = await write(tx, workspaceId, { change, ids })
    await ctx.failpoints?.hit('bulk.batch')
    const isLast = frozen.length < max
    await storeBulkBatch(ctx, tx, workspaceId, {
      change,
      outcomes: outcomesOf(ids, written),
      isLast,
    })
    const updated = written.flatMap((row) => (row.leftOut === null ? [row] : []))
    return publishSubscriberChanges(tx, workspaceId, { updated })
  })
  ctx.wake('subscribers')
  if (pending > 0) ctx.wake('webhook')
}

async function write(
  tx: Database,
  workspaceId: number,
  { change: { action, parameters }, ids }: { change: ClaimedBulkChange; ids: string[] },
): Promise<WrittenContact[]> {
  if (action !== 'tag' && action !== 'untag' && action !== 'set_field') return []
  const { field: key, value = '' } = parameters
  // Its type may have changed since the value was checked.
  const field = key === undefined ? undefined : await fieldOf(tx, workspaceId, key)
  if (field === null || (field !== undefined && value !== '' && !fits(field, value)))
    return ids.map((id) => ({ id, leftOut: 'field_changed' }))
  if (action === 'tag' && parameters.tag !== undefined)
    await makeTags(tx, workspaceId, [parameters.tag])
  return writeContacts(tx, workspaceId, { ids, action, ...parameters })
}

/** Those without a row were erased since. */
function outcomesOf(ids: string[], written: WrittenContact[]): ContactOutcome[] {
  const rows = new Map(written.map((row) => [row.id, row.leftOut ?? 'changed']))
  return ids.map((id) => ({ id, outcome: rows.get(id) ?? 'gone' }))
}
