/** Reads the entries of a batch, each alone, and counts them against the rate. */
import { parseMailbox } from '../../../../ground/address.ts'
import { foreignSubscriberKeys, SubscriberRequest } from '../../../../contract/subscribers.ts'
import type { CallContext } from '../../../context.ts'
import { createBodyCheck } from '../../../input/check-body.ts'
import { shapeError } from '../../../input/shape-error.ts'
import { readSubscriber, type GivenSubscriber } from '../read-subscriber.ts'
import { refusedEntry, type EntryResult } from './batch-result.ts'

/** An entry that can be read, and its position in the batch. */
export interface BatchEntry {
  index: number
  subscriber: GivenSubscriber
  doubleOptIn: boolean
}

export interface ReadBatch {
  entries: BatchEntry[]
  /** The refused entries, at their positions. */
  refused: Map<number, EntryResult>
}

const checkRequest = createBodyCheck(SubscriberRequest, foreignSubscriberKeys)

/** Each entry is one request; the call itself was the first. */
export async function readBatch(
  ctx: Pick<CallContext, 'user' | 'countMore'>,
  body: unknown[],
): Promise<ReadBatch> {
  const overRate = await ctx.countMore?.(body.length - 1)
  const read: ReadBatch = { entries: [], refused: new Map() }
  const known = new Set<string>()
  body.forEach((request, index) => {
    try {
      const refusal = index === 0 ? null : overRate?.[index - 1]
      if (refusal) throw refusal
      const entry = readEntry(ctx, request, index)
      if (known.has(entry.subscriber.email))
        throw shapeError([{ path: 'email', rule: 'twice_in_batch' }])
      known.add(entry.subscriber.email)
      read.entries.push(entry)
    } catch (error) {
      read.refused.set(index, refusedEntry(error))
    }
  })
  return read
}

function readEntry(
  { user }: Pick<CallContext, 'user'>,
  request: unknown,
  index: number,
): BatchEntry {
  const checked = checkRequest(request ?? null)
  const { double_opt_in: doubleOptIn = true } = checked
  // Users give the words of a consent that no confirmation proves; a batch has none.
  if (user && !doubleOptIn) throw shapeError([{ path: 'double_opt_in', rule: 'users_ask' }])
  return { index, subscriber: readSubscriber(checked), doubleOptIn }
}

/** The lower-cased address of an entry, whatever else is wrong with it; null when it has none. */
export function emailOfEntry(request: unknown): string | null {
  const email: unknown =
    typeof request === 'object' && request !== null && 'email' in request ? request.email : null
  if (typeof email !== 'string') return null
  const mailbox = parseMailbox(email)
  return 'rule' in mailbox || mailbox.name !== null ? null : mailbox.key
}
