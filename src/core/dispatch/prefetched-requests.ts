/**
 * Prefetches requests of a busy key's rate in the present slot: its next requests pass without
 * asking the database.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Database } from '../../database/client/database.ts'
import { giveBackRequests, type CountedCaller } from '../../db/workspaces/request-rates.ts'
import type { Log } from '../../ground/log.ts'

/** Below this limit a key prefetches nothing, and each of its requests is counted when it comes. */
export const prefetchFromPerMinute = 6_000
const prefetchMax = 256
/**
 * How long prefetched requests last, in milliseconds; a revoked key may still pass for this time.
 */
const prefetchMs = 100

/** The remaining requests of those that one statement granted to a busy key. */
export interface Prefetched {
  /**
   * How many requests to ask for beyond the present ones: a tenth of a second's worth, and only far
   * from the limit.
   */
  demand(): number
  /**
   * Takes one request; null when none is left and the database must count. `passed`: requests of
   * the window that have passed, with this one.
   */
  take(): { caller: CountedCaller; passed: number } | null
}

/** The requests that one statement granted to a caller, and how many of them were used at once. */
interface Grant {
  workspaceId: number
  caller: CountedCaller
  used: number
  requestedAtMs: number
}

/**
 * Prefetched requests are used within the slot that counts them, so that the limit of any 60 s
 * holds over all processes. Unused ones are given back. Until then, another process may refuse a
 * request up to a tenth of a second early.
 */
export function createPrefetch(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  byKey: Map<string, Prefetched>,
) {
  const giveBack = ({ workspaceId, caller }: Grant, left: number): void => {
    if (left === 0 || caller.bucket === null) return
    giveBackRequests(db, workspaceId, caller.bucket, caller.now, left).catch((error: unknown) =>
      // Unreturned requests leave the window by themselves. At a stop, the pool closes before they
      // are returned.
      log.debug(
        { err: error },
        'Prefetched requests were not given back; they leave the window by themselves',
      ),
    )
  }

  /** Holds what the grant has beyond the present requests, in place of an earlier one. */
  return (key: string, grant: Grant): void => {
    // The statement has just stored the key's last use if needed.
    const caller = { ...grant.caller, lastUseStale: false }
    let passed = caller.used + grant.used
    let left = Math.max(0, (caller.granted ?? 0) - grant.used)
    // The slot ends no earlier than this: the database read its time after we asked.
    const ms = Math.min(prefetchMs, caller.msLeft)
    const prefetched: Prefetched = {
      demand: () =>
        caller.used > caller.perMinute / 2
          ? 0
          : Math.min(prefetchMax, Math.floor(caller.perMinute / 600)),
      take() {
        if (left === 0 || clock.monotonicMs() >= grant.requestedAtMs + ms) return null
        left--
        return { caller, passed: ++passed }
      },
    }
    byKey.set(key, prefetched)
    setTimeout(() => {
      if (byKey.get(key) === prefetched) byKey.delete(key)
      giveBack(grant, left)
      left = 0
    }, ms).unref()
  }
}
