/**
 * Keeps a process to its part of a rate a second, without asking the database: a large receiver's
 * at first (receivers.json).
 */
import type { Clock } from '../../ground/clock.ts'

/** Permits that may be used at once, in seconds of the rate; at least one. */
const burstSeconds = 1

export class FirstRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #permits = 1
  #atMs = -Infinity

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Takes one permit at this rate. False means none is left. */
  take(perSecond: number): boolean {
    const nowMs = this.#clock.monotonicMs()
    const since = Number.isFinite(this.#atMs)
      ? ((nowMs - this.#atMs) / 1_000) * perSecond
      : perSecond
    this.#permits = Math.min(Math.max(1, perSecond * burstSeconds), this.#permits + since)
    this.#atMs = nowMs
    if (this.#permits < 1) return false
    this.#permits--
    return true
  }
}
