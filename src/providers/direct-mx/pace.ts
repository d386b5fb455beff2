/**
 * The pace of a destination: few connections at first, more with each round that it answers. A
 * large receiver has a rate to begin with (receivers.json), which grows while it is used. When a
 * destination says "slower" it gets fewer connections, and half of the rate that it took. Both then
 * grow a little each half minute.
 */
import type { Clock } from '../../ground/clock.ts'

/** With the first answer. Postfix begins with as many. */
const connectionsAnswered = 5
const growthMs = 30_000
const growth = 1.25
/** A quarter more thirty times is eight hundredfold: the rest of it limits nothing. */
const growthsMax = 30
/** Then a throttle is over. */
export const throttleLastsMs = growthMs * growthsMax
/** One burst of refusals is one throttle. */
const throttleEveryMs = 5_000
const perSecondMin = 0.1
/** Fewer answers within less than the span below measure nothing. */
const answersMin = 10
/**
 * The throughput averages over this span; in the cost of an envelope, the newest one has this
 * weight.
 */
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

export interface PaceLimits {
  /** Connections that this process may open, asked each time. */
  connectionsMax: () => number
  /** The same until the first answer: it may be a tarpit. */
  connectionsFirst: () => number
  /** Messages a second of all processes at first; Infinity: no limit. */
  perSecondFirst: number
}

export class DestinationPace {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #limits: PaceLimits
  #connections = connectionsAnswered
  #throttle: { perSecond: number; connections: number; atMs: number } | null = null
  /** The time at which it was first used: the first rate grows from there. */
  #startedAtMs: number | null = null
  /** Answers of the last seconds, as a sum that fades. */
  #answers = 0
  #answeredAtMs = -Infinity
  #firstAnswerAtMs: number | null = null
  /** Milliseconds that one envelope takes of one connection; null until one was answered. */
  #costMs: number | null = null

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: PaceLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** How many connections may be open now. */
  get connections(): number {
    const max = this.#limits.connectionsMax()
    if (this.#costMs === null) return Math.min(this.#limits.connectionsFirst(), max)
    const throttle = this.#throttle
    const allowed =
      throttle === null ? Infinity : throttle.connections + this.#growths(throttle.atMs)
    return Math.min(max, Math.max(1, Math.floor(Math.min(this.#connections, allowed))))
  }

  /** Messages a second of all processes together while it is throttled. Null means no limit. */
  get perSecond(): number | null {
    const throttle = this.#throttle
    if (throttle === null) return null
    const growths = this.#growths(throttle.atMs)
    if (growths > growthsMax) this.#throttle = null
    return growths > growthsMax ? null : throttle.perSecond * growth ** growths
  }

  /** The same by the value to begin with. A throttle comes before it. Null means no limit. */
  get firstPerSecond(): number | null {
    const { perSecondFirst } = this.#limits
    if (this.#throttle !== null || perSecondFirst === Infinity) return null
    this.#startedAtMs ??= this.#clock.monotonicMs()
    const growths = this.#growths(this.#startedAtMs)
    return growths > growthsMax ? null : perSecondFirst * growth ** growths
  }

  /** Null until it answered once. */
  get costMs(): number | null {
    return this.#costMs
  }

  /** Milliseconds between two that it takes. */
  get spacingMs(): number {
    const perSecond = this.perSecond ?? this.firstPerSecond
    return Math.max(
      (this.#costMs ?? costGuessMs) / Math.max(1, this.connections),
      perSecond === null ? 0 : 1_000 / perSecond,
    )
  }

  /** Counts an answer that took `tookMs`, with `ahead` envelopes before it. */
  answered({ tookMs, ahead }: { tookMs: number; ahead: number }): void {
    const connections = Math.max(1, this.connections)
    const costMs = tookMs / (Math.floor(ahead / connections) + 1)
    this.#costMs =
      this.#costMs === null ? costMs : this.#costMs + (costMs - this.#costMs) * costWeight
    this.#answers = this.#fadedAnswers() + 1
    this.#answeredAtMs = this.#clock.monotonicMs()
    this.#firstAnswerAtMs ??= this.#answeredAtMs
    // Each round that uses all connections adds one.
    if (ahead + 1 >= connections)
      this.#connections = Math.min(
        Math.max(1, this.#limits.connectionsMax()),
        this.#connections + 1 / this.#connections,
      )
  }

  /** The destination accepts no further connections. */
  shrink(): void {
    this.#connections = Math.max(1, this.#connections / 2)
  }

  /**
   * "Slower": halves the pace. Returns the report for other processes; null when they had one a
   * moment ago, or when too little was measured. An early refusal thus costs connections and a
   * pause of the circuit breaker, and no minutes at a trickle.
   */
  slower(): Throttle | null {
    const nowMs = this.#clock.monotonicMs()
    if (this.#throttle !== null && nowMs - this.#throttle.atMs < throttleEveryMs) return null
    const took = this.#measured(nowMs)
    const connections = Math.max(1, Math.floor(this.connections / 2))
    this.#connections = connections
    const before = this.perSecond ?? Infinity
    if (took === null && before === Infinity) return null
    const perSecond = Math.max(perSecondMin, Math.min(before, took ?? Infinity) / 2)
    this.#throttle = { perSecond, connections, atMs: nowMs }
    return { perSecond, connections, ageMs: 0 }
  }

  /** Another process got "slower". Null if that is over. */
  learn(throttle: Throttle): void {
    this.#throttle = { ...throttle, atMs: this.#clock.monotonicMs() - throttle.ageMs }
  }

  /**
   * Answers a second lately, at least one; since the first answer where that was a moment ago.
   * Null if they are too few to say.
   */
  #measured(nowMs: number): number | null {
    const usedMs = nowMs - (this.#firstAnswerAtMs ?? nowMs)
    const answers = this.#fadedAnswers()
    if (usedMs < averagedMs && answers < answersMin) return null
    return Math.max(1, answers / (Math.min(averagedMs, Math.max(1_000, usedMs)) / 1_000))
  }

  #growths(sinceMs: number): number {
    return Math.floor((this.#clock.monotonicMs() - sinceMs) / growthMs)
  }

  #fadedAnswers(): number {
    return this.#answers * Math.exp(-(this.#clock.monotonicMs() - this.#answeredAtMs) / averagedMs)
  }
}
