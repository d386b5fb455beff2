/**
 * Hands envelopes over through a few open connections to one destination, and reports of each
 * exactly how far it went.
 *
 * 1. `handOff` queues the envelope; it writes nothing before this turn of the event loop has read
 *    all it can.
 * 2. `#assign` gives the queue to idle sessions, opens further ones up to `connections`, lets the
 *    rest ride behind final dots.
 * 3. A destination that cannot be reached gets a pause; waiting envelopes are answered `deferred`,
 *    never left waiting.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Opened } from './open-session.ts'
import type { SmtpEnvelope, SmtpLease, SmtpOutcome } from './outcome.ts'
import { Session, type SessionHolder } from './session.ts'
import { rfcTimeouts, type Timeouts } from './timeouts.ts'
import { Transaction } from './transaction.ts'
import { UnreachablePause } from './unreachable-pause.ts'
import { WaitingEnvelopes } from './waiting-envelopes.ts'

export interface SmtpPoolOptions {
  /** Opens one more connection. Never rejects. Aborting the signal makes it fail at once. */
  open: (signal: AbortSignal) => Promise<Opened>
  clock: Clock
  /** How many connections are open at most, asked each time; default 10. */
  connections?: () => number
  /** Messages after which a connection is closed, because peers limit them too; default 1,000. */
  messagesPerConnection?: number
  /**
   * How long an unused connection is kept, in milliseconds; default 30 s, well below the 5 minutes
   * of RFC 5321 4.5.3.2.7.
   */
  idleMs?: number
  /**
   * An envelope that no connection could take within this time is `returned`, in milliseconds;
   * default 5 s (semantics 2).
   */
  waitMs?: number
  /**
   * How long the pool pauses an unreachable place: the first time, and at most after doublings;
   * default 1 s and 60 s.
   */
  backoffMs?: { first: number; max: number }
  timeouts?: Partial<Timeouts>
  /**
   * Whether envelopes without a connection wait for one that is being opened, however long;
   * default: they do.
   */
  waitsForDial?: () => boolean
  /** Called when a peer ends a connection in the middle of a conversation. */
  onBroken?: (peer: string) => void
}

export interface SmtpPool {
  /** Never rejects: everything a peer can do is an outcome. */
  handOff(envelope: SmtpEnvelope, lease: SmtpLease): Promise<SmtpOutcome>
  /**
   * How many envelopes can go now: one in each connection, and with PIPELINING one more riding
   * behind it. None rides where replies to the dot take long: it would gain one round trip, and be
   * in doubt after a crash although it had not left.
   */
  free(): number
  /** Connections that are open now. */
  connected(): number
  /** Connections that are being opened. */
  dialling(): number
  /**
   * Drops the conversations that have not written a final dot; their envelopes are `returned`.
   * False if there are none.
   */
  dropBeforeDot(why: string): boolean
  /** Says goodbye on those without work. */
  quitIdle(): void
  /**
   * Takes nothing more, lets hand-offs in flight end for up to `withinMs`, then drops them; each
   * gets its own outcome.
   */
  close(withinMs: number): Promise<void>
}

/** Up to this mean time of a reply to the dot, in milliseconds, envelopes ride behind others. */
const riderReplyMsMax = 100
/** The weight of one reply in the mean. */
const replyWeight = 0.2

export function createSmtpPool(options: SmtpPoolOptions): SmtpPool {
  return new Sessions(options)
}

type Failed = Extract<Opened, { kind: 'failed' }>

class Sessions implements SmtpPool, SessionHolder {
  readonly #options: SmtpPoolOptions
  readonly #connections: () => number
  readonly #messagesMax: number
  readonly #idleMs: number
  readonly #waitMs: number
  readonly #timeouts: Timeouts
  readonly #clock: Clock

  readonly #sessions = new Set<Session>()
  /** Idle ones, the most recently used last; the longest unused is the first to be closed. */
  readonly #idle = new Map<Session, number>()
  readonly #ready: Session[] = []
  readonly #waiting = new WaitingEnvelopes()
  readonly #pause: UnreachablePause
  #dialling = 0
  /** Envelopes that are not answered yet. */
  #inside = 0
  #pipelines = false
  /** How long replies to final dots take, the recent ones above all. */
  #replyMs = 0
  #flushPlanned = false
  #sweeper: NodeJS.Timeout | null = null
  #closed: (() => void) | null = null
  readonly #closing = new AbortController()

  constructor(options: SmtpPoolOptions) {
    this.#options = options
    this.#connections = options.connections ?? (() => 10)
    this.#messagesMax = options.messagesPerConnection ?? 1_000
    this.#idleMs = options.idleMs ?? 30_000
    this.#waitMs = options.waitMs ?? 5_000
    this.#timeouts = { ...rfcTimeouts, ...options.timeouts }
    this.#clock = options.clock
    this.#pause = new UnreachablePause(
      options.clock,
      options.backoffMs ?? { first: 1_000, max: 60_000 },
    )
  }

  handOff(envelope: SmtpEnvelope, lease: SmtpLease): Promise<SmtpOutcome> {
    if (this.#isClosing) return Promise.resolve({ kind: 'returned', why: 'the client is closing' })
    return new Promise((resolve) => {
      this.#inside++
      const answer = (outcome: SmtpOutcome): void => {
        this.#inside--
        resolve(outcome)
        if (this.#isClosing) this.#planFlush()
      }
      this.#waiting.add(
        new Transaction({ envelope, lease, since: this.#clock.monotonicMs(), answer }),
      )
      this.#planFlush()
    })
  }

  free(): number {
    if (this.#isClosing) return 0
    return Math.max(
      0,
      this.#connectionsNow() * (this.#pipelines && this.#replyMs <= riderReplyMsMax ? 2 : 1) -
        this.#inside,
    )
  }

  connected(): number {
    return this.#sessions.size
  }

  dialling(): number {
    return this.#dialling
  }

  dropBeforeDot(why: string): boolean {
    const silent = [...this.#sessions].filter(({ isBeforeDot }) => isBeforeDot)
    for (const session of silent) session.drop(why)
    return silent.length > 0
  }

  quitIdle(): void {
    for (const session of this.#idle.keys()) this.#quit(session)
  }

  async close(withinMs: number): Promise<void> {
    if (this.#closed !== null) return
    const ended = new Promise<void>((resolve) => {
      this.#closed = resolve
    })
    this.#closing.abort()
    this.#waiting.completeAll({ kind: 'returned', why: 'the client is closing' })
    for (const session of this.#idle.keys()) this.#quit(session)
    const timer = setTimeout(() => {
      for (const session of this.#sessions) session.drop('the client is closing')
    }, withinMs)
    this.#planFlush()
    await ended
    clearTimeout(timer)
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  nextFor(session: Session): Transaction | null {
    return session.transactions >= this.#messagesMax || this.#isClosing
      ? null
      : this.#waiting.nextFor(session)
  }

  /**
   * A rider waits for another's reply to the dot; an envelope for which a connection is being
   * opened need not.
   */
  riderFor(session: Session): Transaction | null {
    return this.#waiting.lineLength > this.#dialling ? this.nextFor(session) : null
  }

  wantsFlush(session: Session): void {
    this.#ready.push(session)
    this.#planFlush()
  }

  goesAgain(transaction: Transaction): void {
    if (this.#isClosing)
      return transaction.complete({ kind: 'returned', why: 'the client is closing' })
    this.#waiting.addAgain(transaction)
  }

  nowMs(): number {
    return this.#clock.monotonicMs()
  }

  onDotAnswered(tookMs: number): void {
    this.#replyMs += (tookMs - this.#replyMs) * replyWeight
  }

  onIdle(session: Session): void {
    if (session.transactions >= this.#messagesMax || this.#isClosing || this.#hasTooMany())
      return this.#quit(session)
    this.#idle.set(session, this.#clock.monotonicMs())
    this.#planFlush()
  }

  onEnded(session: Session): void {
    if (session.isBroken) this.#options.onBroken?.(session.peer)
    this.#sessions.delete(session)
    this.#idle.delete(session)
    this.#planFlush()
  }

  #quit(session: Session): void {
    this.#idle.delete(session)
    session.quit()
  }

  /**
   * All writing happens once per turn of the event loop, after its reads: then an answered
   * envelope's successor is in line already.
   */
  #planFlush(): void {
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    setImmediate(() => {
      this.#flushPlanned = false
      for (const session of this.#ready.splice(0)) session.flush()
      if (this.#isClosing) this.#endWhenEmpty()
      else this.#assign()
    })
  }

  #assign(): void {
    for (const session of [...this.#idle.keys()].toReversed()) {
      const transaction = this.nextFor(session)
      if (transaction === null) continue
      this.#idle.delete(session)
      session.begin(transaction)
    }
    this.#dialMore()
    if (this.#waiting.lineLength > this.#dialling) this.#rideBehind()
    if (this.#sessions.size + this.#dialling === 0) this.#deferAll()
    this.#sweepLater()
  }

  #dialMore(): void {
    while (this.#dialling < this.#waiting.length && this.#canDial()) void this.#open()
  }

  /** The limit may have fallen since they were opened. */
  #hasTooMany(): boolean {
    const limit = this.#connections()
    if (this.#sessions.size <= limit) return false
    return [...this.#sessions].filter(({ isEnded }) => !isEnded).length > limit
  }

  #canDial(): boolean {
    return this.#sessions.size + this.#dialling < this.#connectionsNow()
  }

  /**
   * During a pause only open connections count; then one attempt must succeed before others follow.
   */
  #connectionsNow(): number {
    if (!this.#pause.hasFailed) return this.#connections()
    return Math.min(this.#connections(), this.#sessions.size + (this.#pause.isOn ? 0 : 1))
  }

  #rideBehind(): void {
    for (const session of this.#sessions) {
      const transaction = session.takesRider ? this.riderFor(session) : null
      if (transaction !== null) session.ride(transaction)
    }
  }

  async #open(): Promise<void> {
    this.#dialling++
    const opened = await this.#options.open(this.#closing.signal)
    this.#dialling--
    if (opened.kind === 'ready') this.#onOpened(opened)
    else this.#onFailed(opened)
    this.#planFlush()
  }

  #onOpened(opened: Extract<Opened, { kind: 'ready' }>): void {
    this.#pause.onOpened()
    this.#pipelines = opened.offers.pipelining
    const session = new Session(opened, this.#timeouts, this)
    this.#sessions.add(session)
    this.onIdle(session)
  }

  #onFailed(failed: Failed): void {
    this.#pause.onFailed(failed)
    // They wait for a fresh connection, and there is none.
    this.#waiting.completeAgain(deferredBy(failed))
    if (this.#sessions.size + this.#dialling === 0) this.#deferAll()
  }

  /** Nothing is open and nothing is being dialled: the place was just found out of reach. */
  #deferAll(): void {
    if (this.#pause.lastFailure !== null)
      this.#waiting.completeAll(deferredBy(this.#pause.lastFailure))
  }

  /**
   * Checks at intervals for waits that are too long: envelopes in line, and connections without
   * work.
   */
  #sweepLater(): void {
    if (this.#sweeper !== null || (this.#inside === 0 && this.#idle.size === 0)) return
    this.#sweeper = setTimeout(
      () => {
        this.#sweeper = null
        this.#sweep()
        this.#planFlush()
      },
      Math.max(10, Math.min(this.#waitMs, this.#idleMs) / 4),
    )
    this.#sweeper.unref()
  }

  #sweep(): void {
    const now = this.#clock.monotonicMs()
    for (const [session, since] of this.#idle)
      if (now - since >= this.#idleMs || this.#hasTooMany()) this.#quit(session)
    this.#returnLate(now)
    this.#rescueRiders(now)
  }

  /**
   * A dial in progress answers for all that wait, by success or by failure; without one, they wait
   * for the work of others.
   */
  #returnLate(now: number): void {
    if (this.#dialling > 0 && this.#options.waitsForDial?.() !== false) return
    const why = `no connection was free within ${this.#waitMs / 1_000} s`
    this.#waiting.completeOlder(now - this.#waitMs, { kind: 'returned', why, waited: true })
  }

  /**
   * A rider goes to another connection, if there is one, when the message in front gets no reply to
   * its dot.
   */
  #rescueRiders(now: number): void {
    for (const session of this.#sessions) {
      if (this.#idle.size === 0 && !this.#canDial()) return
      const rider = session.withdrawRider(now - this.#waitMs)
      if (rider !== null) this.#waiting.putBack(rider)
    }
  }

  #endWhenEmpty(): void {
    if (this.#inside > 0 || this.#sessions.size > 0 || this.#dialling > 0) return
    if (this.#sweeper !== null) clearTimeout(this.#sweeper)
    this.#closed?.()
  }
}

function deferredBy(failed: Failed): SmtpOutcome {
  return { kind: 'deferred', phase: failed.phase, code: failed.code, response: failed.response }
}
