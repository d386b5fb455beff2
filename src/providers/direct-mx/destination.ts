/**
 * One set of mail hosts and its traffic: one pool of connections, one pace, one circuit breaker. An envelope without
 * room is postponed at once, so that it does not take slots from mail for other hosts.
 *
 * A postponed envelope gets a time at which it is likely to find room: one after the other, as fast as this
 * destination has taken them. So a list of thousands for a slow host does not come back all at once, again and again.
 */
import type { Clock } from '../../clock.ts'
import { limitsSender } from '../../mail/smtp-client/keeps-pace.ts'
import type { Opened } from '../../mail/smtp-client/open-session.ts'
import type { SmtpOutcome } from '../../mail/smtp-client/outcome.ts'
import { createSmtpPool, type SmtpPool } from '../../mail/smtp-client/pool.ts'
import type { Envelope, Lease, Outcome } from '../provider.ts'
import { trySign, type Signing } from '../try-sign.ts'
import { Circuit, type CircuitReport } from './circuit.ts'
import type { MailHost } from './find-route.ts'
import { avoid, openThroughHosts, type Avoided, type HostOptions } from './open-through-hosts.ts'
import { DestinationPace, type Throttle } from './pace.ts'

export interface DestinationOptions extends HostOptions, Signing {
  name: string
  connectionsMax: number
  memory: DestinationMemory
}

/** Shared state of destinations in all processes. It may not fail a hand-off: it never rejects. */
export interface DestinationMemory {
  /** Takes up to `wanted` permits of a throttled destination's rate a second. */
  take(asked: { name: string; perSecond: number; wanted: number; aheadSeconds: number }): Promise<number>
  keepThrottle(name: string, throttle: Throttle): void
  keepCircuit(name: string, feedback: CircuitReport): void
}

/** Envelopes that may wait in its queue: half a second's work of its connections; a few while its speed is unknown. */
const lineMs = 500
const firstLine = 32
/** Without an answer for so long, it gets no more than its connections hold. */
const stuckMs = 3_000
const messagesPerConnection = 100
/** Callers wait for single mails: this many may go before a campaign's queue. */
const singlesMore = 8
const aheadSeconds = { single: 1, bulk: 0.5 }
/**
 * The shortest and the longest delay: soon enough to profit when it becomes faster, late enough that long lists do
 * not come back all the time.
 */
const postponedMs = { min: 1_000, max: 1_800_000 }

type Kind = 'single' | 'bulk'

export class Destination {
  /** The present hosts of the destination. */
  tiers: MailHost[][]
  readonly #options: DestinationOptions
  readonly #clock: Clock
  readonly #pool: SmtpPool
  readonly #pace: DestinationPace
  readonly #circuit: Circuit
  readonly #avoided: Avoided = new Map()
  readonly #permits = { single: 0, bulk: 0 }
  readonly #nextSlotMs = { single: 0, bulk: 0 }
  #usedAtMs = 0
  #inside = 0
  /** How many of these the connections have. */
  #sent = 0
  /** The time at which an envelope began to wait for the destination, or of its last answer. */
  #silentSinceMs = 0

  constructor(options: DestinationOptions, tiers: MailHost[][]) {
    const { clock, name, memory } = options
    this.#options = options
    this.#clock = clock
    this.tiers = tiers
    this.#pace = new DestinationPace(clock, options.connectionsMax)
    this.#circuit = new Circuit(clock, (feedback) => memory.keepCircuit(name, feedback))
    this.#pool = createSmtpPool({
      ...{ clock, messagesPerConnection, timeouts: options.timeouts },
      open: (signal) => this.#open(signal),
      connections: () => this.#pace.connections,
      // The circuit breaker decides for all processes whether it is tried at all.
      backoffMs: { first: 0, max: 0 },
      onBroken: (host) => avoid(this.#avoided, host, clock),
    })
  }

  /** Envelopes that it holds. */
  get inside(): number {
    return this.#inside
  }

  /** The state matters until this time: the last use, or the end of a pause. A destination dropped earlier would look healthy. */
  get neededUntilMs(): number {
    return Math.max(this.#usedAtMs, this.#circuit.openUntilMs)
  }

  /** It holds envelopes and does not answer. */
  get isStuck(): boolean {
    return this.#sent > 0 && this.#clock.monotonicMs() - this.#silentSinceMs > stuckMs
  }

  /** Hands one envelope over, signed once it is sure to go, or answers at once when it may come again. */
  async handOff(envelope: Envelope, lease: Lease): Promise<Outcome> {
    const kind = envelope.bulk ? 'bulk' : 'single'
    if (!this.#hasRoom(kind)) return this.#postpone(kind)
    this.#usedAtMs = this.#clock.monotonicMs()
    this.#inside++
    try {
      if (!(await this.#takePlace(kind))) return this.#postpone(kind)
      const signed = await trySign(this.#options, envelope)
      if ('kind' in signed) return signed
      return this.#classify(await this.#send(signed, lease), kind)
    } finally {
      this.#inside--
    }
  }

  /** Applies the report of another process. */
  learn({ throttle, circuit }: { throttle: Throttle | null; circuit: CircuitReport }): void {
    if (throttle !== null) this.#pace.learn(throttle)
    this.#circuit.learn(circuit)
  }

  /** Closes idle connections. */
  rest(): void {
    this.#pool.quitIdle()
  }

  close(withinMs: number): Promise<void> {
    return this.#pool.close(withinMs)
  }

  #hasRoom(kind: Kind): boolean {
    if (this.#circuit.isOpen) return false
    if (this.#circuit.isTried) return this.#inside === 0
    if (this.isStuck) return this.#inside < this.#pace.connections
    return this.#inside < this.#line() + (kind === 'single' ? singlesMore : 0)
  }

  #line(): number {
    const { connections, costMs } = this.#pace
    if (costMs === null) return Math.max(connections, firstLine)
    return Math.max(2, Math.ceil(lineMs / Math.max(costMs, 1))) * connections
  }

  /** Single mails and campaigns are scheduled apart: a list does not delay mail that a caller waits for. */
  #postpone(kind: Kind): Outcome {
    const nowMs = this.#clock.monotonicMs()
    const answer = (afterMs: number): Outcome => ({ kind: 'postponed', afterMs, response: this.#circuit.response })
    const { isStuck } = this
    // The first answer will soon show its speed, or its failure.
    if (this.#pace.costMs === null && !isStuck && !this.#circuit.isTried) return answer(postponedMs.min * (1 + Math.random()))
    const atMs = Math.max(nowMs + postponedMs.min, this.#circuit.openUntilMs, this.#nextSlotMs[kind])
    const silentMs = isStuck ? nowMs - this.#silentSinceMs : 0
    this.#nextSlotMs[kind] = atMs + Math.max(this.#pace.spacingMs, silentMs / this.#pace.connections)
    if (atMs - nowMs <= postponedMs.max) return answer(atMs - nowMs)
    // Without a slot of its own before the latest time, an envelope comes at any time until then.
    const min = Math.max(postponedMs.min, this.#circuit.openUntilMs - nowMs)
    return answer(min + Math.random() * Math.max(0, postponedMs.max - min))
  }

  async #takePlace(kind: Kind): Promise<boolean> {
    const { perSecond } = this.#pace
    if (perSecond === null) return true
    if (this.#permits[kind] < 1) {
      const wanted = Math.max(1, Math.ceil(perSecond * aheadSeconds[kind]))
      const { name, memory } = this.#options
      this.#permits[kind] += await memory.take({ name, perSecond, wanted, aheadSeconds: aheadSeconds[kind] })
    }
    if (this.#permits[kind] < 1) return false
    this.#permits[kind]--
    return true
  }

  /** Signing has waited for processors of ours; the measured time from here on is the destination's. */
  async #send(envelope: Envelope, lease: Lease): Promise<SmtpOutcome> {
    const sinceMs = this.#clock.monotonicMs()
    const ahead = this.#sent++
    if (ahead === 0) this.#silentSinceMs = sinceMs
    try {
      const outcome = await this.#pool.handOff(envelope, lease)
      if (isAnswer(outcome)) this.#answered({ ahead, sinceMs })
      return outcome
    } finally {
      this.#sent--
    }
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const opened = await openThroughHosts(this.#options, { tiers: this.tiers, avoided: this.#avoided }, signal)
    if (opened.kind === 'ready' || signal.aborted) return opened
    if (limitsSender(opened)) this.#slower()
    // A destination that serves other connections of ours only wants fewer at once.
    if (this.#pool.connected() > 0) this.#pace.shrink()
    else this.#circuit.fail(opened.response)
    return opened
  }

  #classify(outcome: SmtpOutcome, kind: Kind): Outcome {
    switch (outcome.kind) {
      case 'accepted':
      case 'refused':
        return outcome
      case 'in_doubt':
        this.#circuit.break(outcome.response)
        return outcome
      case 'deferred':
        this.#classifyDeferral(outcome)
        // The destination is one of many: its deferral slows no other mail.
        return { ...outcome, slower: false }
      case 'returned':
        return outcome.waited === true ? this.#postpone(kind) : outcome
      default:
        return outcome satisfies never
    }
  }

  /** `#open` has classified failures before MAIL. */
  #classifyDeferral({ phase, code, response }: Extract<SmtpOutcome, { kind: 'deferred' }>): void {
    if (openingPhases.has(phase)) return
    if (limitsSender({ code, response })) this.#slower()
    if (code === null || code === 421) this.#circuit.break(response)
  }

  #answered({ ahead, sinceMs }: { ahead: number; sinceMs: number }): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#circuit.isTried) this.#nextSlotMs.single = this.#nextSlotMs.bulk = nowMs
    this.#circuit.answer()
    this.#silentSinceMs = nowMs
    this.#pace.answered({ tookMs: nowMs - sinceMs, ahead })
  }

  #slower(): void {
    const throttle = this.#pace.slower()
    if (throttle !== null) this.#options.memory.keepThrottle(this.#options.name, throttle)
  }
}

const openingPhases: ReadonlySet<string> = new Set(['dial', 'greet', 'ehlo', 'tls', 'auth'])

/** The destination answered, and not with "go away" or "slower". */
const isAnswer = (outcome: SmtpOutcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'refused' ||
  (outcome.kind === 'deferred' && !openingPhases.has(outcome.phase) && outcome.code !== null && !limitsSender(outcome))
