/**
 * The pace of a destination: few connections at first, more with each round that it answers. When it says "slower" it
 * gets fewer, and a rate a second, which then grows a little each half minute.
 */
import type { Clock } from '../../clock.ts'

/** Postfix begins with as many. */
const connectionsFirst = 5
const growthMs = 30_000
const growth = 1.25
/** A quarter more thirty times is eight hundredfold: the rest of it limits nothing. */
const growthsMax = 30
/** One burst of refusals is one throttle. */
const throttleEveryMs = 5_000
const perSecondMin = 0.1
/** The throughput averages over this span; in the cost of an envelope, the newest one has this weight. */
const averagedMs = 10_000
const costWeight = 0.2
/** The cost until the first answer. */
const costGuessMs = 50

/** The rate to which it said "slower". */
export interface Throttle {
  perSecond: number
  connections: number
  /** How long ago. */
  ageMs: number
}

export class DestinationPace {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #connectionsMax: number
  #connections: number
  #throttle: { perSecond: number; connections: number; atMs: number } | null = null
  /** Answers of the last seconds, as a sum that fades. */
  #answers = 0
  #answeredAtMs = -Infinity
  /** Milliseconds that one envelope takes of one connection; null until one was answered. */
  #costMs: number | null = null

  constructor(clock: Pick<Clock, 'monotonicMs'>, connectionsMax: number) {
    this.#clock = clock
    this.#connectionsMax = connectionsMax
    this.#connections = Math.min(connectionsFirst, connectionsMax)
  }

  /** How many connections may be open now. */
  get connections(): number {
    const throttle = this.#throttle
    const allowed = throttle === null ? Infinity : throttle.connections + this.#growths(throttle)
    return Math.max(1, Math.floor(Math.min(this.#connections, allowed)))
  }

  /** Messages a second while it is throttled; null: no limit. */
  get perSecond(): number | null {
    const throttle = this.#throttle
    if (throttle === null) return null
    const growths = this.#growths(throttle)
    if (growths > growthsMax) this.#throttle = null
    return growths > growthsMax ? null : throttle.perSecond * growth ** growths
  }

  /** Null until it answered once. */
  get costMs(): number | null {
    return this.#costMs
  }

  /** Milliseconds between two that it takes. */
  get spacingMs(): number {
    const perSecond = this.perSecond
    return Math.max((this.#costMs ?? costGuessMs) / this.connections, perSecond === null ? 0 : 1_000 / perSecond)
  }

  /** Counts an answer that took `tookMs`, with `ahead` envelopes before it. */
  answered({ tookMs, ahead }: { tookMs: number; ahead: number }): void {
    const costMs = tookMs / (Math.floor(ahead / this.connections) + 1)
    this.#costMs = this.#costMs === null ? costMs : this.#costMs + (costMs - this.#costMs) * costWeight
    this.#answers = this.#fadedAnswers() + 1
    this.#answeredAtMs = this.#clock.monotonicMs()
    // Each round that uses all connections adds one.
    if (ahead + 1 >= this.connections)
      this.#connections = Math.min(this.#connectionsMax, this.#connections + 1 / this.#connections)
  }

  /** The destination accepts no further connections. */
  shrink(): void {
    this.#connections = Math.max(1, this.#connections / 2)
  }

  /** "Slower": halves the pace. Returns the report for other processes; null when they had one a moment ago. */
  slower(): Throttle | null {
    const nowMs = this.#clock.monotonicMs()
    if (this.#throttle !== null && nowMs - this.#throttle.atMs < throttleEveryMs) return null
    const took = this.#fadedAnswers() / (averagedMs / 1000)
    const perSecond = Math.max(perSecondMin, Math.min(this.perSecond ?? Infinity, Math.max(took, 1)) / 2)
    const connections = Math.max(1, Math.floor(this.connections / 2))
    this.#connections = Math.max(1, connections)
    this.#throttle = { perSecond, connections, atMs: nowMs }
    return { perSecond, connections, ageMs: 0 }
  }

  /** Another process got "slower"; null: that is over. */
  learn(throttle: Throttle): void {
    this.#throttle = { ...throttle, atMs: this.#clock.monotonicMs() - throttle.ageMs }
  }

  #growths(throttle: { atMs: number }): number {
    return Math.floor((this.#clock.monotonicMs() - throttle.atMs) / growthMs)
  }

  #fadedAnswers(): number {
    return this.#answers * Math.exp(-(this.#clock.monotonicMs() - this.#answeredAtMs) / averagedMs)
  }
}
