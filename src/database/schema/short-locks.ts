/**
 * Runs statements that lock tables without holding up the service.
 *
 * While such a statement waits for a table, every later reader and writer of the table waits behind
 * it. It may wait for hours, such as for a dump. So it soon gives up, lets the others pass, and is
 * tried again until it succeeds.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/**
 * Longer than `deadlock_timeout` (1 second), because an autovacuum gives way to us only then; and
 * not by much: a call that waits for us while we wait for it would find the deadlock itself, and
 * fail.
 */
export const lockTimeoutMs = 1_200

/** Pauses between two tries, in milliseconds. */
const [pauseMinMs, pauseMaxMs] = [1_000, 30_000]

export interface ShortLocks {
  /** What is done, for the progress: the name of a file. */
  what: string
  progress: (text: string) => void
  signal?: AbortSignal | undefined
}

/**
 * Runs `work`, and again after each lock timeout or deadlock. It must leave nothing behind where it
 * fails, or be able to go on behind that. Throws any other error, and the reason of `signal`
 * between two tries.
 */
export async function withShortLocks<T>(
  client: pg.Client,
  { what, progress, signal }: ShortLocks,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  try {
    for (
      let tries = 1, pauseMs = pauseMinMs;
      ;
      tries++, pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
    ) {
      try {
        return await work()
      } catch (error) {
        if (!isLockFailure(error)) throw error
        progress(
          `${what} found a table in use (try ${tries}); it lets others pass and tries again in ${pauseMs / 1_000} s`,
        )
        await setTimeout(pauseMs, undefined, signal && { signal }).catch(() => undefined)
        signal?.throwIfAborted()
      }
    }
  } finally {
    await client.query('reset lock_timeout').catch(() => undefined)
  }
}

/** SQLSTATE lock_not_available and deadlock_detected. */
const isLockFailure = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '')
