/**
 * Shares the states of destinations between processes: stored in the database, and read by each
 * within seconds. It delays no hand-off.
 */
import { repeatEvery, type Clock } from '../../ground/clock.ts'
import type { Database } from '../../database/client/database.ts'
import {
  destinationsChanged,
  storeCircuit,
  storeThrottle,
  takeDestinationPermits,
} from '../../db/sending/destinations.ts'
import type { SharedMemory } from './create-direct-mx.ts'
import { joinSenders } from './join-senders.ts'

interface Parts {
  /** A database whose commits do not wait for the disk: all of it may be learned again. */
  countingDb: Database
  clock: Clock
  log: { warn(fields: object, message: string): void }
}

const pollEveryMs = 2_000

export function createDestinationMemory({ countingDb: db, clock, log }: Parts): SharedMemory {
  const forgive = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) =>
      log.warn({ err: error }, 'The state of a destination was not stored'),
    )
  return {
    async take({ name, perSecond, count, aheadSeconds }) {
      try {
        return await takeDestinationPermits(db, { name, perSecond, count, aheadSeconds })
      } catch (error) {
        log.warn({ err: error }, 'The rate of a destination could not be checked; its mail waits')
        return 0
      }
    },
    keepThrottle: (name, throttle) => forgive(storeThrottle(db, { name, ...throttle })),
    keepCircuit: (name, feedback) => forgive(storeCircuit(db, { name, ...feedback })),
    watch(report) {
      const { share, mark, leave } = joinSenders(db, clock)
      const stopping = new AbortController()
      let since: string | null = null
      const poll = async (): Promise<void> => {
        try {
          await mark()
          const rows = await destinationsChanged(db, since)
          for (const { name, throttle, circuit } of rows) report({ name, throttle, circuit })
          since = rows.at(-1)?.changedAt ?? since
        } catch (error) {
          log.warn(
            { err: error },
            'The states of destinations were not read; the next round tries again',
          )
        }
      }
      void repeatEvery(clock, { everyMs: pollEveryMs, stopping: stopping.signal }, poll)
      return {
        share,
        stop() {
          stopping.abort()
          forgive(leave())
        },
      }
    },
  }
}
