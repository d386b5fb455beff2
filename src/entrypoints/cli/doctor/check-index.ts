/**
 * Checks whether the log of messages finds what was accepted: the index of a worker must not fall
 * behind.
 */
import { unindexedSince } from '../../../db/messages/message-search.ts'
import { passed, warned, type Check, type EachCell } from './check.ts'

/** A worker indexes each second; a backlog of a million takes minutes. */
const lateSeconds = 600

export async function checkIndex(eachCell: EachCell): Promise<Check> {
  const late: Date[] = []
  await eachCell(
    async (db) =>
      void late.push(...[await unindexedSince(db, lateSeconds)].filter((since) => since !== null)),
  )
  const [oldest] = late.toSorted((a, b) => a.getTime() - b.getTime())
  if (oldest === undefined) return passed('search of messages', 'every message is found')
  return warned(
    'search of messages',
    `messages since ${oldest.toISOString()} are not indexed: searches find only the newest of them`,
    'See whether a worker runs, and its log for "Messages could not be indexed"; after a pause it catches up by itself.',
  )
}
