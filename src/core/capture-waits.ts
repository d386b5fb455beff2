/**
 * Lets calls wait for a captured mail. A wait holds no connection of the database: the commit of a
 * capture wakes it, in whichever process that was, and it looks again.
 */
import { ApiError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { WakeHint } from '../db/sending/due.ts'
import type { Clock } from '../ground/clock.ts'

/** Who waits, for how long, and for what. */
export interface CaptureWait<T> {
  workspaceId: number
  keyId: string
  seconds: number
  /** Aborted when the caller has gone: the wait then ends with its next look. */
  left: AbortSignal | undefined
  /** Null: nothing is there yet. */
  look: () => Promise<T | null>
}

export interface CaptureWaits {
  hear(hint: WakeHint): void
  /**
   * What `look` finds; null: nothing until the time was over, or the process stops. Throws
   * `rate_limit_exceeded` where too many wait already, and what `look` throws.
   */
  until<T>(wait: CaptureWait<T>): Promise<T | null>
  /** How many calls wait now. */
  count(): number
  /** All waits end now, and later ones at once. */
  end(): void
}

/** A hint may be lost with its connection: the next look is at most so late. */
const napMaxMs = 1_000
/** Many captures in a moment are found by one look. */
const looksEveryMs = 100
/** When a caller that was refused may try again, in seconds. */
const retryAfter = 1

interface Waiter {
  keyId: string
  workspaceId: number
  isWoken: boolean
  interrupt: (() => void) | null
}

export function createCaptureWaits(clock: Clock): CaptureWaits {
  const waiters = new Set<Waiter>()
  let isEnding = false

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

  const enter = (keyId: string, workspaceId: number): Waiter => {
    const ofKey = [...waiters].filter((other) => other.keyId === keyId).length
    const full =
      ofKey >= limits.capturedWaitsOfKeyMax
        ? limits.capturedWaitsOfKeyMax
        : waiters.size >= limits.capturedWaitsMax
          ? limits.capturedWaitsMax
          : null
    if (full !== null)
      throw new ApiError(
        'rate_limit_exceeded',
        { reason: 'captured_waits', limit: full, retry_after: retryAfter },
        retryAfter,
      )
    const waiter = { keyId, workspaceId, isWoken: false, interrupt: null }
    waiters.add(waiter)
    return waiter
  }

  return {
    hear(hint) {
      if (waiters.size === 0 || !hint.startsWith('captured:')) return
      const workspaceId = Number(hint.slice('captured:'.length))
      for (const waiter of waiters) if (waiter.workspaceId === workspaceId) wake(waiter)
    },
    async until({ workspaceId, keyId, seconds, left, look }) {
      const waiter = enter(keyId, workspaceId)
      const endsAtMs = clock.monotonicMs() + seconds * 1_000
      try {
        for (;;) {
          waiter.isWoken = false
          const lookedAtMs = clock.monotonicMs()
          // Also a last time: a mail may have come with the end.
          const found = await look()
          if (found !== null) return found
          const untilEnd = (): number => endsAtMs - clock.monotonicMs()
          const isOver = (): boolean => isEnding || left?.aborted === true || untilEnd() <= 0
          if (isOver()) return null
          await nap(waiter, Math.min(napMaxMs, untilEnd()))
          if (isEnding || left?.aborted) return null
          const restMs = lookedAtMs + looksEveryMs - clock.monotonicMs()
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
