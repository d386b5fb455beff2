/**
 * One set of mail hosts and its traffic: one pool of connections, one pace, one circuit breaker. An
 * envelope without room is postponed at once, so that it does not take slots from mail for other
 * hosts.
 *
 * A postponed envelope gets a time at which it is likely to find room: one after the other, as fast
 * as this destination has taken them. So a list of thousands for a slow host does not come back all
 * at once, again and again.
 */
import type { Clock } from '../../ground/clock.ts'
import { limitsSender } from '../../mail/smtp-client/keeps-pace.ts'
import type { Opened } from '../../mail/smtp-client/open-session.ts'
import type { SmtpOutcome } from '../../mail/smtp-client/outcome.ts'
import { openingPhases } from '../../mail/smtp-client/phase.ts'
import { createSmtpPool, type SmtpPool } from '../../mail/smtp-client/pool.ts'
import type { Envelope, Lease, Outcome, Sign } from '../provider.ts'
import type { Bulkheads, DestinationClass } from './bulkheads.ts'
import { Circuit, type CircuitReport } from './circuit.ts'
import type { MailHost } from './find-route.ts'
import { FirstRate } from './first-rate.ts'
import { NextHost, nextHosts, type Deferral } from './next-host.ts'
import { avoid, openThroughHosts, type Avoided, type HostOptions } from './open-through-hosts.ts'
import { DestinationPace, type Throttle } from './pace.ts'
import { shareOf, type ProcessShare } from './process-share.ts'
import { pauseMs, shapingOf, type Shaping } from './receivers.ts'
import { ReturnTimes, type MailKind } from './return-times.ts'
import type { CountTls } from './tls-results.ts'

export interface DestinationOptions extends Omit<HostOptions, 'countTls'> {
  sign: Sign
  name: string
  /** Connections of all processes together. */
  connectionsMax: number
  memory: DestinationMemory
  bulkheads: Pick<Bulkheads, 'hasRoom' | 'enter' | 'isCrowded'>
  countTls: CountTls
}

/** Shared state of destinations in all processes. It may not fail a hand-off: it never rejects. */
export interface DestinationMemory {
  /** Takes up to `count` permits of a throttled destination's rate a second. */
  take(requested: {
    name: string
    perSecond: number
    count: number
    aheadSeconds: number
  }): Promise<number>
  keepThrottle(name: string, throttle: Throttle): void
  keepCircuit(name: string, feedback: CircuitReport): void
}

/**
 * Envelopes that may wait in its queue: half a second's work of its connections; a few while its
 * speed is unknown.
 */
const lineMs = 500
const firstLine = 32
/**
 * Without an answer for so long, or with answers that take as long, it gets no more than its
 * connections hold, or so many.
 */
const stuckMs = 3_000
const slowMax = 16
/** A campaign comes back after as long as it has been silent, and at most after this. */
const silentReturnMaxMs = 60_000
/** A conversation that says nothing for so long may be given up, where others need its place. */
const silentMaxMs = 30_000
/** Callers wait for single mails: this many may go before a campaign's queue. */
const singlesMore = 8
const aheadSeconds = { single: 1, bulk: 0.5 }
export class Destination {
  /** The present hosts of the destination. */
  tiers: MailHost[][]
  /** A domain whose mail goes there: the last one. */
  domain = ''
  /** The processes that share its connections. */
  share: ProcessShare | null
  readonly #options: DestinationOptions
  readonly #hostOptions: HostOptions
  readonly #clock: Clock
  readonly #receiver: Shaping
  readonly #pool: SmtpPool
  readonly #pace: DestinationPace
  readonly #firstRate: FirstRate
  readonly #circuit: Circuit
  readonly #avoided: Avoided = new Map()
  readonly #permits = { single: 0, bulk: 0 }
  readonly #returnTimes = new ReturnTimes()
  readonly #nextHost: NextHost
  #usedAtMs = 0
  #inside = 0
  /** How many of these the connections have. */
  #sent = 0
  /** An envelope was given to the connections since its last answer. */
  #isAsked = false
  /** The time at which an envelope began to wait for the destination, or of its last answer. */
  #silentSinceMs = 0

  constructor(
    options: DestinationOptions,
    { tiers, share }: { tiers: MailHost[][]; share: ProcessShare | null },
  ) {
    const { clock, name, memory } = options
    this.#options = options
    this.#hostOptions = {
      ...options,
      countTls: (tls) => options.countTls({ ...tls, domain: this.domain }),
    }
    this.#clock = clock
    this.tiers = tiers
    this.share = share
    this.#receiver = shapingOf(tiers[0]?.[0]?.name ?? '')
    const limit = Math.min(options.connectionsMax, this.#receiver.connections)
    const turn = turnOf(name)
    this.#pace = new DestinationPace(clock, {
      connectionsMax: () => shareOf(limit, this.share, turn),
      connectionsFirst: () => (options.bulkheads.isCrowded ? 1 : 2),
      perSecondFirst: this.#receiver.perSecond,
    })
    this.#firstRate = new FirstRate(clock)
    this.#nextHost = new NextHost({ clock, timeouts: options.timeouts })
    this.#circuit = new Circuit(clock, (feedback) => memory.keepCircuit(name, feedback))
    this.#pool = createSmtpPool({
      ...{ clock, messagesPerConnection: this.#receiver.messages, timeouts: options.timeouts },
      open: (signal) => this.#open(signal),
      connections: () => this.#pace.connections,
      // The circuit breaker decides for all processes whether it is tried at all.
      backoffMs: { first: 0, max: 0 },
      onBroken: (host) => avoid(this.#avoided, host, clock),
      waitsForDial: () => !options.bulkheads.isCrowded,
    })
  }

  /** Envelopes that it holds. */
  get inside(): number {
    return this.#inside
  }

  /** It has connections, or opens one. */
  get isConnected(): boolean {
    return this.#pool.connected() + this.#pool.dialling() > 0
  }

  /**
   * The state matters until this time: the last use, or the end of a pause. A destination dropped
   * earlier would look healthy.
   */
  get neededUntilMs(): number {
    return Math.max(this.#usedAtMs, this.#circuit.openUntilMs)
  }

  /** It holds envelopes, or is being dialled, and does not answer. */
  get isStuck(): boolean {
    return this.#silentMs > stuckMs
  }

  get class(): DestinationClass {
    const { costMs } = this.#pace
    if (costMs === null || this.#circuit.isTried) return 'unknown'
    return this.isStuck || costMs > stuckMs ? 'slow' : 'quick'
  }

  /**
   * Hands one envelope over, signed once it is sure to go, or answers at once when it may come
   * again.
   */
  async handOff(envelope: Envelope, lease: Lease): Promise<Outcome> {
    const kind = envelope.bulk ? 'bulk' : 'single'
    if (!this.#hasRoom(kind)) return this.#postpone(kind)
    this.#usedAtMs = this.#clock.monotonicMs()
    this.#options.bulkheads.enter(this.class)
    this.#inside++
    try {
      if (!(await this.#takeSlot(kind))) return this.#postpone(kind)
      const signed = await this.#options.sign(envelope)
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

  /**
   * Ends conversations that never got an answer and are silent for long, before their final dot.
   * Their mail goes again later.
   */
  giveUpSilent(): void {
    if (this.#pace.costMs !== null || this.#sent === 0 || this.#silentMs < silentMaxMs) return
    const why = `4.4.2 no answer within ${silentMaxMs / 1_000} s, while other mail waits`
    if (this.#pool.dropBeforeDot(why)) this.#circuit.fail(why)
  }

  /** Closes idle connections. */
  rest(): void {
    this.#pool.quitIdle()
  }

  async close(withinMs: number): Promise<void> {
    await Promise.all([this.#pool.close(withinMs), this.#nextHost.close(withinMs)])
  }

  get #isDialled(): boolean {
    return this.#pool.dialling() > 0 && this.#pool.connected() === 0
  }

  /**
   * Zero while it need not answer. A conversation that hangs among others does not make it silent.
   */
  get #silentMs(): number {
    const isAsked = this.#isAsked || this.#sent >= this.#pace.connections
    return isAsked && (this.#sent > 0 || this.#isDialled)
      ? this.#clock.monotonicMs() - this.#silentSinceMs
      : 0
  }

  #hasRoom(kind: MailKind): boolean {
    const { connections, costMs } = this.#pace
    const { bulkheads } = this.#options
    // Its connections are all other processes' (process-share.ts).
    if (this.#circuit.isOpen || connections === 0 || !bulkheads.hasRoom(this.class)) return false
    if (this.#circuit.isTried) return this.#inside === 0
    if (costMs === null && (this.isStuck || bulkheads.isCrowded)) return this.#inside === 0
    if (this.class === 'slow') return this.#inside < Math.min(connections, slowMax)
    return this.#inside < this.#line() + (kind === 'single' ? singlesMore : 0)
  }

  #line(): number {
    const { connections, costMs } = this.#pace
    if (costMs === null) return Math.max(connections, firstLine)
    return Math.max(2, Math.ceil(lineMs / Math.max(costMs, 1))) * connections
  }

  /**
   * The longer a destination is silent, the later its campaign mail comes back: it is probably
   * silent for as long again.
   */
  #postpone(kind: MailKind): Outcome {
    const [circuit, pace, silentMs] = [this.#circuit, this.#pace, this.#silentMs]
    const answer = (afterMs: number): Outcome => ({
      kind: 'postponed',
      afterMs,
      response: circuit.response,
    })
    if (pace.costMs === null && !this.isStuck && !circuit.isTried)
      return answer(this.#returnTimes.soon(kind === 'bulk' ? silentMs : 0))
    const nowMs = this.#clock.monotonicMs()
    const stuckForMs = this.isStuck ? silentMs : 0
    const earliestMs = Math.max(
      circuit.openUntilMs,
      kind === 'bulk' ? nowMs + Math.min(stuckForMs, silentReturnMaxMs) : 0,
    )
    const spacingMs = Math.max(pace.spacingMs, stuckForMs / Math.max(1, pace.connections))
    return answer(this.#returnTimes.next(kind, { nowMs, earliestMs, spacingMs }))
  }

  async #takeSlot(kind: MailKind): Promise<boolean> {
    const { perSecond, firstPerSecond } = this.#pace
    if (firstPerSecond !== null)
      return this.#firstRate.take(firstPerSecond / (this.share?.count ?? 1))
    if (perSecond === null) return true
    if (this.#permits[kind] < 1) {
      const count = Math.max(1, Math.ceil(perSecond * aheadSeconds[kind]))
      const { name, memory } = this.#options
      this.#permits[kind] += await memory.take({
        name,
        perSecond,
        count,
        aheadSeconds: aheadSeconds[kind],
      })
    }
    if (this.#permits[kind] < 1) return false
    this.#permits[kind]--
    return true
  }

  /**
   * Signing has waited for processors of ours; the measured time from here on is the destination's.
   */
  async #send(envelope: Envelope, lease: Lease): Promise<SmtpOutcome> {
    const sinceMs = this.#clock.monotonicMs()
    if (this.#silentMs === 0) this.#silentSinceMs = sinceMs
    this.#isAsked = true
    const ahead = this.#sent++
    const outcome = await this.#pool.handOff(envelope, lease)
    if (isAnswer(outcome)) this.#answered({ ahead, sinceMs })
    this.#sent--
    return outcome.kind === 'deferred' ? this.#sendElsewhere(outcome, envelope, lease) : outcome
  }

  /**
   * Once, by a connection of its own to another host. Returns the refusal where there is none, or
   * no connection is left.
   */
  async #sendElsewhere(refused: Deferral, envelope: Envelope, lease: Lease): Promise<SmtpOutcome> {
    const tiers = nextHosts(this.tiers, refused)
    const isLeft =
      this.#pool.connected() + this.#nextHost.connected < Math.max(2, this.#pace.connections)
    if (tiers.length === 0 || !isLeft) return refused
    const open = (signal: AbortSignal): Promise<Opened> =>
      openThroughHosts(this.#hostOptions, { tiers, avoided: this.#avoided }, signal)
    return this.#nextHost.handOff(refused, { envelope, lease, open })
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const opened = await openThroughHosts(
      this.#hostOptions,
      { tiers: this.tiers, avoided: this.#avoided },
      signal,
    )
    if (opened.kind === 'ready' || signal.aborted) return opened
    // A 421 that greets us speaks of connections, not of messages (RFC 5321 3.8), unless its words
    // do.
    if (limitsSender({ ...opened, code: opened.code === 421 ? 450 : opened.code })) this.#slower()
    this.#pauseFor(opened.response)
    // A destination that serves other connections of ours only wants fewer at once.
    if (this.#pool.connected() > 0) this.#pace.shrink()
    else this.#circuit.fail(opened.response)
    return opened
  }

  #classify(outcome: SmtpOutcome, kind: MailKind): Outcome {
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
  #classifyDeferral({ phase, code, response }: Deferral): void {
    if (openingPhases.has(phase)) return
    if (limitsSender({ code, response })) this.#slower()
    this.#pauseFor(response)
    if (code === null || code === 421) this.#circuit.break(response)
  }

  #answered({ ahead, sinceMs }: { ahead: number; sinceMs: number }): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#circuit.isTried || this.isStuck) this.#returnTimes.restart(nowMs)
    this.#circuit.answer()
    this.#silentSinceMs = nowMs
    this.#isAsked = false
    this.#pace.answered({ tookMs: nowMs - sinceMs, ahead })
  }

  #pauseFor(response: string): void {
    const ms = pauseMs(this.#receiver, response)
    if (ms > 0) this.#circuit.pause(ms, response)
  }

  #slower(): void {
    const throttle = this.#pace.slower()
    if (throttle !== null) this.#options.memory.keepThrottle(this.#options.name, throttle)
  }
}

/** The destination answered, and not with "go away" or "slower". */
const isAnswer = (outcome: SmtpOutcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'refused' ||
  (outcome.kind === 'deferred' &&
    !openingPhases.has(outcome.phase) &&
    outcome.code !== null &&
    !limitsSender(outcome))

/** A whole number of its own for each destination, the same in all processes. */
const turnOf = (name: string): number =>
  [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_003, 7)
