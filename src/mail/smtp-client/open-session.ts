/**
 * Opens a session: from no connection to a peer that is ready for MAIL.
 *
 * 1. Connect (TLS at once for `smtps://`), read the greeting (RFC 5321 3.1).
 * 2. EHLO, or HELO when the peer does not know EHLO (RFC 5321 3.2, 4.1.1.1).
 * 3. STARTTLS when offered or required, discard everything, EHLO again (RFC 3207 4.2).
 * 4. AUTH when there is a login (RFC 4954), never in clear over a network.
 *
 * Every failure here concerns the peer or our configuration, not a message: it defers, also for a
 * 5xx.
 */
import { isLoopback } from '../../ground/is-loopback.ts'
import type { Clock } from '../../ground/clock.ts'
import { Channel } from './channel.ts'
import { readOffers, type Offers } from './commands.ts'
import { startTls, TlsError, type Dial } from './dial.ts'
import type { SmtpPhase } from './phase.ts'
import type { Relay } from './relay.ts'
import type { ReplyReader } from './reply-reader.ts'
import type { Timeouts } from './timeouts.ts'

export interface Opening {
  relay: Relay
  /** Our name in EHLO. Absent means our address as a literal (RFC 5321 4.1.4). */
  name?: string
  dial: Dial
  timeouts: Timeouts
  clock: Clock
}

export type Opened =
  | { kind: 'ready'; channel: Channel; offers: Offers; peer: string }
  /** `cause`: the code of the error below, such as `CERT_HAS_EXPIRED`. Absent if it has none. */
  | { kind: 'failed'; phase: SmtpPhase; code: number | null; response: string; cause?: string }

/** Never rejects. Aborting the signal makes it fail at once. */
export async function openSmtpSession(opening: Opening, signal: AbortSignal): Promise<Opened> {
  const steps = new OpeningSteps(opening, signal)
  try {
    await steps.dial()
    await steps.greet()
    await steps.sayHello()
    await steps.encrypt()
    await steps.authenticate()
    return {
      kind: 'ready',
      channel: steps.channel(),
      offers: steps.offers,
      peer: opening.relay.host,
    }
  } catch (error) {
    steps.giveUp()
    const code = error instanceof Refusal ? error.code : null
    const response = error instanceof Error ? error.message : String(error)
    const cause =
      error instanceof Error && 'code' in error && typeof error.code === 'string'
        ? { cause: error.code }
        : {}
    return { kind: 'failed', phase: steps.phase, code, response, ...cause }
  } finally {
    steps.end()
  }
}

/** A reply that refuses a step of the opening. */
class Refusal extends Error {
  readonly code: number

  constructor(reply: Answer, note = '') {
    super(note === '' ? reply.response : `${note} (${reply.response})`)
    this.code = reply.code
  }
}

interface Answer {
  code: number
  lines: string[]
  response: string
}

class OpeningSteps {
  phase: SmtpPhase = 'dial'
  offers: Offers = readOffers([])
  #encrypted = false
  #channel: Channel | null = null
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null
  /** Answers and errors that came while no call waited for them. */
  #early: Answer[] = []
  #broken: Error | null = null
  readonly #opening: Opening
  readonly #signal: AbortSignal

  constructor(opening: Opening, signal: AbortSignal) {
    this.#opening = opening
    this.#signal = signal
    signal.addEventListener('abort', this.#onAbort)
  }

  channel(): Channel {
    if (this.#channel === null) throw new Error('not dialled')
    return this.#channel
  }

  async dial(): Promise<void> {
    const { relay, dial, timeouts, clock } = this.#opening
    const plain = await withinMs(timeouts.dial, this.#signal, (signal) => dial(relay, signal))
    let socket = plain
    if (relay.tls === 'implicit') {
      this.phase = 'tls'
      socket = await withinMs(timeouts.tls, this.#signal, (signal) =>
        startTls(plain, relay, signal),
      )
      this.#encrypted = true
    }
    this.#channel = new Channel(socket, clock, {
      onReply: (reply) => this.#onReply(reply),
      onLost: (why) => this.#onLost(why),
    })
  }

  async greet(): Promise<void> {
    this.phase = 'greet'
    const answer = await this.#reply(this.#opening.timeouts.greet)
    if (!isPositive(answer)) throw new Refusal(answer)
  }

  async sayHello(): Promise<void> {
    this.phase = 'ehlo'
    const name = this.#opening.name ?? addressLiteral(this.channel().localAddress)
    const ehlo = await this.#ask(`EHLO ${name}`)
    if (isPositive(ehlo)) {
      this.offers = readOffers(ehlo.lines)
      return
    }
    if (ehlo.code < 500) throw new Refusal(ehlo)
    const helo = await this.#ask(`HELO ${name}`)
    if (!isPositive(helo)) throw new Refusal(helo)
    this.offers = readOffers([])
  }

  async encrypt(): Promise<void> {
    const { relay, timeouts } = this.#opening
    if (this.#encrypted || relay.tls === 'none') return
    if (!this.offers.startTls) {
      if (relay.tls !== 'required') return
      this.phase = 'tls'
      throw new TlsError('NO_STARTTLS', 'TLS is required and the peer does not offer STARTTLS')
    }
    this.phase = 'tls'
    const answer = await this.#ask('STARTTLS')
    if (!isPositive(answer)) throw new Refusal(answer, 'the peer offers STARTTLS and refuses it')
    const plain = this.channel().detach()
    // Replies that came in clear after the one to STARTTLS may be an attacker's (RFC 3207 4.2, 6).
    this.#early = []
    this.channel().resumeWith(
      await withinMs(timeouts.tls, this.#signal, (signal) => startTls(plain, relay, signal)),
    )
    this.#encrypted = true
    await this.sayHello()
  }

  async authenticate(): Promise<void> {
    const { relay } = this.#opening
    if (relay.login === undefined) return
    this.phase = 'auth'
    if (!this.#encrypted && relay.tls !== 'none' && !isLoopback(relay.host)) {
      throw new Error(
        'the relay offers no TLS and the password is not sent in clear; use smtps:// or, if you must, ?tls=none',
      )
    }
    const answer = this.offers.auth.includes('PLAIN')
      ? await this.#authPlain(relay.login)
      : await this.#authLogin(relay.login)
    if (!isPositive(answer))
      throw new Refusal(answer, 'the relay does not accept the user and password')
  }

  /** Drops the connection. */
  giveUp(): void {
    this.#channel?.drop()
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  /** RFC 4616, with the initial response of RFC 4954 4. */
  async #authPlain(login: { user: string; password: string }): Promise<Answer> {
    return this.#ask(`AUTH PLAIN ${base64(`\0${login.user}\0${login.password}`)}`)
  }

  /** The older LOGIN, which some relays offer alone: two prompts, two answers. */
  async #authLogin(login: { user: string; password: string }): Promise<Answer> {
    if (!this.offers.auth.includes('LOGIN'))
      throw new Error('the relay offers neither AUTH PLAIN nor AUTH LOGIN')
    const userPrompt = await this.#ask('AUTH LOGIN')
    if (userPrompt.code !== 334) return userPrompt
    const passwordPrompt = await this.#ask(base64(login.user))
    if (passwordPrompt.code !== 334) return passwordPrompt
    return this.#ask(base64(login.password))
  }

  #ask(command: string): Promise<Answer> {
    this.#early = []
    if (this.#broken === null) this.channel().write(`${command}\r\n`)
    return this.#reply(this.#opening.timeouts.ehlo)
  }

  #reply(ms: number): Promise<Answer> {
    const early = this.#early.shift()
    if (early !== undefined) return Promise.resolve(early)
    if (this.#broken !== null) return Promise.reject(this.#broken)
    this.channel().expectWithin(ms)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  #onReply(reply: ReplyReader): void {
    const answer = { code: reply.code, lines: reply.lines(), response: reply.response() }
    const waiting = this.#waiting
    this.#waiting = null
    this.channel().expectNothing()
    if (waiting === null) this.#early.push(answer)
    else waiting.resolve(answer)
  }

  #onLost(why: string): void {
    this.#broken = new Error(why)
    this.#waiting?.reject(this.#broken)
    this.#waiting = null
  }

  readonly #onAbort = (): void => {
    this.#channel?.drop()
    this.#onLost('the client is closing')
  }
}

function isPositive(answer: Answer): boolean {
  return answer.code >= 200 && answer.code < 300
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/** RFC 5321 4.1.3. */
function addressLiteral(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`
}

async function withinMs<T>(
  ms: number,
  outer: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController()
  const onAbort = (): void => inner.abort(new Error('the client is closing'))
  const timer = setTimeout(() => inner.abort(new Error(`no connection within ${ms / 1_000} s`)), ms)
  outer.addEventListener('abort', onAbort)
  try {
    return await act(inner.signal)
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', onAbort)
  }
}
