/**
 * Prefetches requests of a busy key's rate in the present slot: its next requests pass without
 * asking the database.
 */
import type { Clock } from '../../clock.ts'
import { rateWindowSeconds } from '../../contract/limits.ts'
import type { Database } from '../../db/connection/database.ts'
import { giveBackRequests, type CountedCaller } from '../../db/workspaces/request-rates.ts'
import type { Log } from '../../log.ts'

export interface Rate {
  passes: boolean
  limit: number
  remaining: number
  /** Seconds since 1970. */
  resetAt: number
  retryAfter: number
}

export interface CountedRequest {
  rate: Rate
  /** The valid key; the required permission may still be missing. */
  caller: CountedCaller
}

/** Below this limit a key prefetches nothing, and each of its requests is counted when it comes. */
const perMinuteMin = 6_000
const prefetchMax = 256
/**
 * How long prefetched requests last, in milliseconds; a revoked key may still pass for this time.
 */
const prefetchMs = 100

interface Prefetched {
  workspaceId: number
  caller: CountedCaller
  /** Requests of the window that have passed, including those passed here. */
  passed: number
  left: number
  endsAtMs: number
}

/** The requests that one statement granted to a caller, and how many of them were used at once. */
interface Grant {
  workspaceId: number
  name: string
  caller: CountedCaller
  used: number
  askedAtMs: number
}

/**
 * Prefetched requests are used within the slot that counts them, so that the limit of any 60 s
 * holds over all processes. Unused ones are given back. Until then, another process may refuse a
 * request up to a tenth of a second early.
 */
export function createPrefetchedQuota(db: Database, clock: Clock, log: Log) {
  const held = new Map<string, Prefetched>()

  const release = (key: string, prefetched: Prefetched): void => {
    if (held.get(key) === prefetched) held.delete(key)
    const { workspaceId, caller, left } = prefetched
    prefetched.left = 0
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

  return {
    /**
     * How many requests to ask for beyond the present ones: a tenth of a second's worth, and only
     * far from the limit.
     */
    wanted(workspaceId: number, name: string): number {
      const caller = held.get(`${workspaceId} ${name}`)?.caller
      if (!caller || caller.perMinute < perMinuteMin || caller.used > caller.perMinute / 2) return 0
      return Math.min(prefetchMax, Math.floor(caller.perMinute / 600))
    },
    /** Stores the grant that exceeds the present requests. */
    keep({ workspaceId, name, caller, used, askedAtMs }: Grant): void {
      if (caller.perMinute < perMinuteMin || caller.bucket === null) return
      const left = Math.max(0, (caller.granted ?? 0) - used)
      // The slot ends no earlier than this: the database read its time after we asked.
      const ms = Math.min(prefetchMs, caller.msLeft)
      // The statement has just stored the key's last use if needed.
      const prefetched = {
        workspaceId,
        caller: { ...caller, lastUseStale: false },
        passed: caller.used + used,
        left,
        endsAtMs: askedAtMs + ms,
      }
      const key = `${workspaceId} ${name}`
      held.set(key, prefetched)
      setTimeout(() => release(key, prefetched), ms).unref()
    },
    /** Takes one prefetched request; null when none is left and the database must count. */
    take(workspaceId: number, name: string): CountedRequest | null {
      const prefetched = held.get(`${workspaceId} ${name}`)
      if (!prefetched || prefetched.left === 0 || clock.monotonicMs() >= prefetched.endsAtMs)
        return null
      prefetched.left--
      prefetched.passed++
      return {
        caller: prefetched.caller,
        rate: quotaRateOf(prefetched.caller, true, prefetched.passed),
      }
    },
  }
}

/**
 * The rate as a request's headers show it; `passed` counts the requests of the window up to this
 * one.
 */
export function quotaRateOf(caller: CountedCaller, passes: boolean, passed: number): Rate {
  // A slot counts until a second after its own minute, yet `Retry-After` is never longer than the
  // window.
  const resetAt = Math.min(caller.oldest + 61, caller.now + rateWindowSeconds)
  return {
    passes,
    limit: caller.perMinute,
    remaining: Math.max(0, caller.perMinute - passed),
    resetAt,
    retryAfter: Math.max(1, resetAt - caller.now),
  }
}
