/**
 * The pause of a destination that cannot be reached: it doubles with each failure, and ends with
 * the first connection.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Opened } from './open-session.ts'

type Failed = Extract<Opened, { kind: 'failed' }>

export class UnreachablePause {
  readonly #clock: Clock
  readonly #first: number
  readonly #max: number
  #failures = 0
  #until = 0
  #lastFailure: Failed | null = null

  /** `first` and `max` in milliseconds. */
  constructor(clock: Clock, { first, max }: { first: number; max: number }) {
    this.#clock = clock
    this.#first = first
    this.#max = max
  }

  /** The last attempt to connect failed. */
  get hasFailed(): boolean {
    return this.#failures > 0
  }

  /** No further attempt to connect is made for now. */
  get isOn(): boolean {
    return this.#clock.monotonicMs() < this.#until
  }

  /** The most recent failure, also once a connection has opened since. */
  get lastFailure(): Failed | null {
    return this.#lastFailure
  }

  onFailed(failed: Failed): void {
    this.#until = this.#clock.monotonicMs() + Math.min(this.#max, this.#first * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 20)
    this.#lastFailure = failed
  }

  onOpened(): void {
    this.#failures = 0
    this.#until = 0
  }
}
