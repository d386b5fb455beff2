/**
 * Lets calls wait for a captured mail. A wait holds no connection of the database: the commit of a
 * capture wakes it, in whichever process that was, and it queries again. Processes tell each other
 * of captures only while one of them has announced that calls wait, because captures are many and
 * each notification locks the whole database.
 */
import { ApiError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { WakeUp } from '../db/sending/due.ts'
import type { Clock } from '../ground/clock.ts'

/** A caller that waits: for how long, and for which mails. */
export interface CaptureWait<T> {
  workspaceId: number
  keyId: string
  seconds: number
  /** Aborted when the caller has gone: the wait then ends before its next query. */
  left: AbortSignal | undefined
  /** Null if nothing is there yet. */
  query: () => Promise<T | null>
}

export interface CaptureWaits {
  onWakeUp(hint: WakeUp): void
  /** Whether calls of another process may wait now, which wants to hear of captures. */
  othersWait(): boolean
  /**
   * Returns the result of `query`. Null if it found nothing until the time was over, or the process
   * stops. Throws `rate_limit_exceeded` where too many wait already, and what `query` throws.
   */
  until<T>(wait: CaptureWait<T>): Promise<T | null>
  /** How many calls wait now. */
  count(): number
  /** All waits end now, and later ones at once. */
  end(): void
}

export const isCapture = (hint: WakeUp): hint is `captured:${number}` =>
  hint.startsWith('captured:')

/** A hint may be lost with its connection: the next query is at most so late. */
const napMaxMs = 5_000
/** The second query comes sooner: other processes may not know yet that this one waits. */
const firstNapMs = 1_000
/** Many captures in a moment are found by one query. */
const queriesEveryMs = 100
/** A process announces its waits when one begins, at most this often. */
const announcesEveryMs = 5_000
/** An announcement holds until each wait that began by the next one is over. */
const announcedForMs = limits.capturedWaitSecondsMax * 1_000 + 2 * announcesEveryMs
/** When a caller that was refused may try again, in seconds. */
const retryAfter = 1

interface Waiter {
  keyId: string
  workspaceId: number
  isWoken: boolean
  interrupt: (() => void) | null
}

/** `announce`: tells the other processes that calls wait here. */
export function createCaptureWaits(clock: Clock, announce: () => void): CaptureWaits {
  const waiters = new Set<Waiter>()
  let isEnding = false
  let announcedAtMs = -Infinity
  let othersWaitUntilMs = -Infinity

  const wake = (waiter: Waiter): void => {
    waiter.isWoken = true
    waiter.interrupt?.()
  }

  const nap = async (waiter: Waiter, ms: number): Promise<void> => {
    if (waiter.isWoken || ms <= 0) return
    const woken = new AbortController()
    waiter.interrupt = () => woken.abort()
    await clock.sleep(ms, woken.signal).catch(() => undefined)
    waiter.interrupt = null
  }

  /** The limit that one more wait would pass. Undefined if there is none. */
  const limitAt = (keyId: string, workspaceId: number): number | undefined => {
    const all = [...waiters]
    const bounds = [
      [limits.capturedWaitsOfKeyMax, all.filter((other) => other.keyId === keyId)],
      [
        limits.capturedWaitsOfWorkspaceMax,
        all.filter((other) => other.workspaceId === workspaceId),
      ],
      [limits.capturedWaitsMax, all],
    ] as const
    return bounds.find(([max, { length }]) => length >= max)?.[0]
  }

  const addWaiter = (keyId: string, workspaceId: number): Waiter => {
    const limit = limitAt(keyId, workspaceId)
    if (limit !== undefined)
      throw new ApiError(
        'rate_limit_exceeded',
        { reason: 'captured_waits', limit, retry_after: retryAfter },
        retryAfter,
      )
    const waiter = { keyId, workspaceId, isWoken: false, interrupt: null }
    waiters.add(waiter)
    if (clock.monotonicMs() >= announcedAtMs + announcesEveryMs) {
      announcedAtMs = clock.monotonicMs()
      announce()
    }
    return waiter
  }

  return {
    onWakeUp(hint) {
      if (hint === 'captures') othersWaitUntilMs = clock.monotonicMs() + announcedForMs
      if (waiters.size === 0 || !isCapture(hint)) return
      const workspaceId = Number(hint.slice('captured:'.length))
      for (const waiter of waiters) if (waiter.workspaceId === workspaceId) wake(waiter)
    },
    othersWait: () => clock.monotonicMs() < othersWaitUntilMs,
    async until({ workspaceId, keyId, seconds, left, query }) {
      const waiter = addWaiter(keyId, workspaceId)
      const endsAtMs = clock.monotonicMs() + seconds * 1_000
      try {
        for (let napMs = firstNapMs; ; napMs = napMaxMs) {
          waiter.isWoken = false
          const queriedAtMs = clock.monotonicMs()
          // Also a last time: a mail may have come with the end.
          const result = await query()
          if (result !== null) return result
          const untilEnd = (): number => endsAtMs - clock.monotonicMs()
          const isOver = (): boolean => isEnding || left?.aborted === true || untilEnd() <= 0
          if (isOver()) return null
          await nap(waiter, Math.min(napMs, untilEnd()))
          if (isEnding || left?.aborted) return null
          const restMs = queriedAtMs + queriesEveryMs - clock.monotonicMs()
          if (restMs > 0) await clock.sleep(Math.min(restMs, Math.max(0, untilEnd())))
        }
      } finally {
        waiters.delete(waiter)
      }
    },
    count: () => waiters.size,
    end() {
      isEnding = true
      for (const waiter of waiters) wake(waiter)
    },
  }
}
