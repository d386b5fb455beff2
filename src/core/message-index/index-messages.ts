/**
 * Indexes a workspace's new single messages by recipients, subject and tags, so that searches find
 * them.
 */
import { setImmediate as whenFree } from 'node:timers/promises'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import {
  advanceIndexMark,
  sortMessageIndex,
  takeIndexMark,
  unindexedMessages,
  writeMessageEntries,
  type MessageEntry,
  type UnindexedMessage,
} from '../../db/messages/message-search.ts'
import { ScanMark } from '../../ground/scan-mark.ts'
import type { Context } from '../context.ts'
import { gramsOfMessage, textsOf } from './message-text.ts'

/** Messages per transaction: with more of them, the index writes less for each. */
const indexedAtOnce = 2_000

/** Messages whose search pieces are computed without a pause, some ten microseconds each. */
const computedAtOnce = 100

/**
 * Indexes the next messages of a workspace. False if there may be more. The look begins where the
 * last one of `scan` ended, and from time to time at the mark of the index: the mark rests while
 * any transaction stays open, and each look would pass all messages since then.
 */
export async function indexMessages(
  ctx: Pick<Context, 'db' | 'clock'>,
  { workspaceId, scan = new ScanMark(ctx.clock) }: { workspaceId: number; scan?: ScanMark },
): Promise<boolean> {
  const [from, requestedAtMs] = [scan.from(), ctx.clock.monotonicMs()]
  const part = await retrying(() => ctx.db.transaction((tx) => index(tx, { workspaceId, from })))
  if (part === null) return true
  scan.passed(part.passedTo, { from, requestedAtMs })
  if (part.indexed > 0) await sortMessageIndex(ctx.db)
  return part.indexed < indexedAtOnce
}

/** Null if another worker does it. */
async function index(
  tx: Database,
  { workspaceId, from }: { workspaceId: number; from: Date | null },
): Promise<{ indexed: number; passedTo: Date } | null> {
  const mark = await takeIndexMark(tx, workspaceId)
  if (!mark) return null
  const messages = await unindexedMessages(tx, workspaceId, {
    sureTo: mark.sureTo,
    from,
    max: indexedAtOnce,
  })
  await writeIndex(tx, workspaceId, messages)
  const last = messages.length < indexedAtOnce ? null : (messages.at(-1) ?? null)
  // Only a look from the mark on has seen what became visible late.
  if (from === null) await advanceIndexMark(tx, workspaceId, mark, last?.at ?? null)
  return { indexed: messages.length, passedTo: last?.createdAt ?? mark.passedTo }
}

export async function writeIndex(
  tx: Database,
  workspaceId: number,
  messages: UnindexedMessage[],
): Promise<void> {
  const entries: MessageEntry[] = []
  for (const [position, message] of messages.entries()) {
    if (position % computedAtOnce === 0) await whenFree()
    entries.push({
      id: message.id,
      at: message.at,
      ...textsOf(message),
      grams: gramsOfMessage(workspaceId, message),
    })
  }
  if (entries.length > 0) await writeMessageEntries(tx, workspaceId, entries)
}
