/**
 * Stores a batch in one transaction, each step of all entries by one statement:
 *
 * 1. check the entries, then add the new ones and change the known ones. Those that another call
 *    has changed since are checked again
 * 2. fields, tags, evidence, confirmations, events
 */
import { ApiError } from '../../../../contract/errors.ts'
import type { Database } from '../../../../database/client/database.ts'
import { insertConsents } from '../../../../db/audience/consents.ts'
import { insertBatch, updateBatch } from '../../../../db/audience/subscriber-batches.ts'
import { makeTags } from '../../../../db/audience/subscriber-fields.ts'
import type { SubscriberRow } from '../../../../db/audience/subscribers.ts'
import type { CallContext } from '../../../context.ts'
import { publishSubscriberChanges } from '../../../events/subscriber-events.ts'
import { confirmAgainAfterSeconds } from '../../consent/confirm-again-after.ts'
import { sendConfirmations, type Asker } from '../../consent/send-confirmation.ts'
import { defineFields } from '../../fields/define-fields.ts'
import { sourceOf } from '../source-of.ts'
import { recordManualChange } from '../record-manual-change.ts'
import { refusedEntry, type EntryResult } from './batch-result.ts'
import { checkEntries, usedFields, type CheckedEntry } from './check-entries.ts'
import type { BatchEntry } from './read-batch.ts'

/** Rounds for entries that change between the checks and the writing. */
const roundsMax = 5

export interface StoredEntry {
  entry: CheckedEntry
  row: SubscriberRow
  created: boolean
  /** When the request to confirm leaves. Null if none does. */
  askedAt: Date | null
}

export interface StoredBatch {
  /** By the positions of the entries. */
  results: Map<number, EntryResult>
  stored: StoredEntry[]
  /** Number of pending deliveries of its events. */
  pending: number
}

export async function storeEntries(
  ctx: CallContext,
  tx: Database,
  entries: BatchEntry[],
): Promise<StoredBatch> {
  const results = new Map<number, EntryResult>()
  const stored: StoredEntry[] = []
  let asker: Asker | null = null
  let left = entries
  for (let round = 0; round < roundsMax && left.length > 0; round++) {
    const { checked, refused, asker: result } = await checkEntries(ctx, tx, left)
    asker ??= result
    for (const [index, refusal] of refused) results.set(index, refusal)
    const written = await write(ctx, tx, checked)
    stored.push(...written)
    const done = new Set(written.map(({ entry }) => entry.index))
    left = checked.filter(({ index }) => !done.has(index))
  }
  for (const { index } of left)
    results.set(index, refusedEntry(new ApiError('conflict', { reason: 'changed_meanwhile' })))
  for (const entry of stored) results.set(entry.entry.index, resultOf(entry))
  return { results, stored, pending: await follow(ctx, tx, stored, asker) }
}

const resultOf = ({ row, created, askedAt }: StoredEntry): EntryResult => ({
  result: created ? 'created' : 'updated',
  ...{ id: row.id, status: row.status, confirmationAt: askedAt?.toISOString() ?? null },
})

/** Adds and changes; what is not answered was changed since the checks. */
async function write(
  ctx: CallContext,
  tx: Database,
  checked: CheckedEntry[],
): Promise<StoredEntry[]> {
  const fresh = checked.filter(({ isKnown }) => !isKnown)
  const known = checked.filter(({ isKnown }) => isKnown)
  const { source } = sourceOf(ctx)
  const added =
    fresh.length === 0
      ? []
      : await insertBatch(
          tx,
          ctx.workspaceId,
          fresh.map((entry) => ({ ...newRow(entry), id: ctx.makeId(), source })),
        )
  const changed =
    known.length === 0
      ? []
      : await updateBatch(tx, ctx.workspaceId, known.map(changedRow), confirmAgainAfterSeconds)
  const entryOf = new Map(checked.map((entry) => [entry.subscriber.email, entry]))
  const stored = (row: SubscriberRow, created: boolean, asks: boolean): StoredEntry[] => {
    const entry = entryOf.get(row.email)
    return entry ? [{ entry, row, created, askedAt: asks ? entry.askedAt : null }] : []
  }
  return [
    ...added.flatMap((row) => stored(row, true, true)),
    ...changed.flatMap((row) => stored(row, false, row.asks)),
  ]
}

const newRow = ({ subscriber, askedAt, doubleOptIn }: CheckedEntry) => ({
  email: subscriber.email,
  status: doubleOptIn ? ('pending' as const) : ('subscribed' as const),
  firstName: subscriber.firstName || null,
  lastName: subscriber.lastName || null,
  tags: JSON.stringify(subscriber.tags),
  fields: JSON.stringify(
    Object.fromEntries(usedFields(subscriber).map((key) => [key, subscriber.fields[key]])),
  ),
  askedAt,
})

const changedRow = ({ subscriber, askedAt }: CheckedEntry) => ({
  email: subscriber.email,
  firstName: subscriber.firstName || null,
  keepsFirst: subscriber.firstName === undefined,
  lastName: subscriber.lastName || null,
  keepsLast: subscriber.lastName === undefined,
  tags: JSON.stringify(subscriber.tags),
  fields: JSON.stringify(subscriber.fields),
  cleared: JSON.stringify(
    Object.keys(subscriber.fields).filter((key) => subscriber.fields[key] === ''),
  ),
  askedAt,
})

/** Does what follows from the records. Answers how many deliveries of events are pending. */
async function follow(
  ctx: CallContext,
  tx: Database,
  stored: StoredEntry[],
  asker: Asker | null,
): Promise<number> {
  const { workspaceId } = ctx
  const subscribers = stored.map(({ entry }) => entry.subscriber)
  await defineFields(tx, workspaceId, [...new Set(subscribers.flatMap(usedFields))])
  const tags = [...new Set(subscribers.flatMap((each) => each.tags))]
  if (tags.length > 0) await makeTags(tx, workspaceId, tags)
  await keepEvidence(ctx, tx, stored)
  if (asker) await askThem(ctx, tx, stored, asker)
  for (const { row, created } of ctx.user ? stored : [])
    await recordManualChange(ctx, tx, {
      act: created ? 'subscriber.added' : 'subscriber.edited',
      id: row.id,
    })
  return publishSubscriberChanges(tx, workspaceId, {
    created: stored.flatMap(({ row, created }) => (created ? [row] : [])),
    updated: stored.flatMap(({ row, created }) => (created ? [] : [row])),
  })
}

/** That the caller answers for the consent of those who are subscribed at once. */
async function keepEvidence(ctx: CallContext, tx: Database, stored: StoredEntry[]): Promise<void> {
  const registered = stored.filter(({ entry, created }) => created && !entry.doubleOptIn)
  if (registered.length === 0) return
  await insertConsents(
    tx,
    ctx.workspaceId,
    registered.map(({ row }) => ({
      ...{ id: ctx.makeId(), subscriberId: row.id, email: row.email, act: 'registered' },
      ...{ ...sourceOf(ctx), shown: null, ip: null, userAgent: null },
      ...{ messageId: null, campaignId: null },
    })),
  )
}

async function askThem(
  ctx: CallContext,
  tx: Database,
  stored: StoredEntry[],
  asker: Asker,
): Promise<void> {
  const asks = stored.flatMap(({ row, askedAt }) =>
    askedAt === null
      ? []
      : [
          {
            ...{ subscriber: row, leavesAt: askedAt, ...sourceOf(ctx) },
            ...{ shown: null, ip: null, userAgent: null },
          },
        ],
  )
  if (asks.length > 0)
    await sendConfirmations(ctx, tx, { workspaceId: ctx.workspaceId, asker, asks })
}
