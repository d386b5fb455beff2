/**
 * Remembers up to when one kind of work was looked through, so that the next look begins there and
 * passes no index entries of earlier work again (docs/decisions/0052-a-held-horizon.md).
 */
import type { Clock } from './clock.ts'

/**
 * Time between two looks from the first row on, in milliseconds: so late is a row found that was
 * put back behind the others. These looks take no more than this share of the time, however much
 * they pass.
 */
const fullEveryMs = 5_000
const fullShare = 1 / 20

export class ScanMark {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #fullEveryMs: number
  #passedTo: Date | null = null
  #fullAtMs = -Infinity

  constructor(clock: Pick<Clock, 'monotonicMs'>, everyMs = fullEveryMs) {
    this.#clock = clock
    this.#fullEveryMs = everyMs
  }

  /** Where the next look begins. Null means at the first row. */
  from(): Date | null {
    if (this.#clock.monotonicMs() >= this.#fullAtMs) this.#passedTo = null
    return this.#passedTo
  }

  /** Seconds until a look begins at the first row. */
  fullInSeconds(): number {
    return this.from() === null ? 0 : (this.#fullAtMs - this.#clock.monotonicMs()) / 1_000
  }

  /**
   * Nothing that is due before `to` is left, by a look that began at `from` and was asked for then.
   */
  passed(to: Date, { from, requestedAtMs }: { from: Date | null; requestedAtMs: number }): void {
    const nowMs = this.#clock.monotonicMs()
    if (from === null)
      this.#fullAtMs = nowMs + Math.max(this.#fullEveryMs, (nowMs - requestedAtMs) / fullShare)
    this.#passedTo = to
  }
}
