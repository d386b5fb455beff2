/** Indexes a workspace's new single messages by recipients, subject and tags, so that searches find them. */
import { setImmediate as whenFree } from 'node:timers/promises'
import { retrying } from '../../db/connection/retrying.ts'
import type { Database } from '../../db/connection/database.ts'
import {
  advanceIndexMark,
  sortMessageIndex,
  takeIndexMark,
  unindexedMessages,
  writeMessageEntries,
  type MessageEntry,
  type UnindexedMessage,
} from '../../db/messages/message-search.ts'
import type { Context } from '../context.ts'
import { gramsOfMessage, textsOf } from './message-text.ts'

/** Messages per transaction: with more of them, the index writes less for each. */
const indexedAtOnce = 2_000

/** Messages whose search pieces are computed without a pause, some ten microseconds each. */
const computedAtOnce = 100

/** Indexes the next messages of a workspace; false: there may be more. */
export async function indexMessages(ctx: Pick<Context, 'db'>, workspaceId: number): Promise<boolean> {
  const found = await retrying(() => ctx.db.transaction((tx) => index(tx, workspaceId)))
  if (found > 0) await sortMessageIndex(ctx.db)
  return found < indexedAtOnce
}

async function index(tx: Database, workspaceId: number): Promise<number> {
  const mark = await takeIndexMark(tx, workspaceId)
  if (!mark) return 0
  const messages = await unindexedMessages(tx, workspaceId, mark.sureTo, indexedAtOnce)
  await writeIndex(tx, workspaceId, messages)
  const isWhole = messages.length < indexedAtOnce
  await advanceIndexMark(tx, workspaceId, mark, isWhole ? null : (messages.at(-1)?.at ?? null))
  return messages.length
}

export async function writeIndex(tx: Database, workspaceId: number, messages: UnindexedMessage[]): Promise<void> {
  const entries: MessageEntry[] = []
  for (const [place, message] of messages.entries()) {
    if (place % computedAtOnce === 0) await whenFree()
    entries.push({ id: message.id, at: message.at, ...textsOf(message), grams: gramsOfMessage(workspaceId, message) })
  }
  if (entries.length > 0) await writeMessageEntries(tx, workspaceId, entries)
}
