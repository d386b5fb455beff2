/**
 * The circuit breaker of a destination: it decides whether a hand-off is tried at all.
 *
 *   closed ── cannot be reached, or breaks off three times in a row ──▶ open, until its time ──▶
 *   one try
 *     ▲ ▲ │ └────────────────────────────── an answer
 *     ──────────────────────────┼────────────────────────┤
 *                                                                         └──── fails, longer ─────┘
 */
import type { Clock } from '../../ground/clock.ts'

const firstMs = 5_000
const maxMs = 900_000
/** Conversations that break off, or that the host ends with 421, before the circuit opens. */
const breaksMax = 3

/** The state for other processes. */
export interface CircuitReport {
  failures: number
  openMs: number
  response: string | null
}

export class Circuit {
  /** The last answer, or why it could not be reached. */
  response: string | null = null
  openUntilMs = -Infinity
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #tell: (feedback: CircuitReport) => void
  #failures = 0
  #breaks = 0
  /**
   * Until when the destination asked us to stay away: answers that were under way do not end that.
   */
  #pausedUntilMs = -Infinity

  constructor(clock: Pick<Clock, 'monotonicMs'>, report: (feedback: CircuitReport) => void) {
    this.#clock = clock
    this.#tell = report
  }

  get isOpen(): boolean {
    return this.#clock.monotonicMs() < this.openUntilMs
  }

  /** It failed and has not answered since: one envelope at a time tries it. */
  get isTried(): boolean {
    return this.#failures > 0
  }

  /** The destination cannot be reached. Several tries that end together are one failure. */
  fail(response: string): void {
    this.response = response
    if (this.isOpen) return
    const openMs = Math.min(maxMs, firstMs * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 30)
    this.openUntilMs = this.#clock.monotonicMs() + openMs
    this.#tell({ failures: this.#failures, openMs, response })
  }

  /** The destination asked us to stay away for so long. */
  pause(ms: number, response: string): void {
    this.response = response
    const untilMs = this.#clock.monotonicMs() + ms
    if (untilMs <= this.openUntilMs) return
    this.#failures = Math.max(1, this.#failures)
    this.openUntilMs = this.#pausedUntilMs = untilMs
    this.#tell({ failures: this.#failures, openMs: ms, response })
  }

  /** A conversation broke off, or ended with "go away". */
  break(response: string): void {
    this.response = response
    if (++this.#breaks >= breaksMax || this.isTried) this.fail(response)
  }

  /** The destination answered. */
  answer(): void {
    this.#breaks = 0
    if (this.#clock.monotonicMs() < this.#pausedUntilMs) return
    this.response = null
    if (this.#failures === 0) return
    this.#failures = 0
    this.openUntilMs = -Infinity
    this.#tell({ failures: 0, openMs: 0, response: null })
  }

  /** Applies the report of another process. */
  learn({ failures, openMs, response }: CircuitReport): void {
    this.#failures = failures
    this.openUntilMs = failures === 0 ? -Infinity : this.#clock.monotonicMs() + openMs
    if (response !== null) this.response = response
  }
}
