/**
 * A clock whose sleeps end when a test moves it: sleepers are visible, and five seconds take no
 * time.
 */
import { systemClock, type Clock } from '../../src/ground/clock.ts'

export interface FrozenClock extends Clock {
  /**
   * How long each sleeper has still to sleep, in milliseconds, in the order in which they began.
   */
  sleepersMs(): number[]
  advance(ms: number): void
}

export function createFrozenClock(): FrozenClock {
  let passedMs = 0
  const sleepers = new Set<{ endsAtMs: number; wake: () => void }>()
  return {
    now: systemClock.now,
    monotonicMs: () => passedMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { endsAtMs: passedMs + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener(
          'abort',
          () => sleepers.delete(sleeper) && reject(signal.reason as Error),
          { once: true },
        )
      }),
    sleepersMs: () => [...sleepers].map(({ endsAtMs }) => endsAtMs - passedMs),
    advance(ms) {
      passedMs += ms
      for (const sleeper of sleepers)
        if (sleeper.endsAtMs <= passedMs && sleepers.delete(sleeper)) sleeper.wake()
    },
  }
}
