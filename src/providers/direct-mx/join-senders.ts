/** Joins the processes that hand mail over, and knows how many they are (process-share.ts). */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../ground/clock.ts'
import type { Database } from '../../database/client/database.ts'
import { leaveSenders, markSender } from '../../db/sending/senders-at-work.ts'
import type { ProcessShare } from './process-share.ts'

/**
 * So long after it joined others, a process leaves all connections to them: by then they know of
 * it, and have closed theirs.
 */
const joiningMs = 6_000
/** Without a mark for so long, the others take this process for gone. */
const lostMs = 12_000

export interface SenderAtWork {
  /** Null while it is not known, or it has just joined. No connection is opened then. */
  share(): ProcessShare | null
  /** To be called every few seconds. */
  mark(): Promise<void>
  leave(): Promise<void>
}

export function joinSenders(db: Database, clock: Pick<Clock, 'monotonicMs'>): SenderAtWork {
  const process = randomUUID()
  let known: (ProcessShare & { atMs: number }) | null = null
  let joinedAtMs = -Infinity
  return {
    share() {
      const nowMs = clock.monotonicMs()
      return known === null || nowMs - known.atMs > lostMs || nowMs - joinedAtMs < joiningMs
        ? null
        : known
    },
    async mark() {
      const atMs = clock.monotonicMs()
      const { others, before } = await markSender(db, process)
      if (others > 0 && (known === null || atMs - known.atMs > lostMs)) joinedAtMs = atMs
      known = { count: others + 1, index: before, atMs }
    },
    leave: () => leaveSenders(db, process),
  }
}
