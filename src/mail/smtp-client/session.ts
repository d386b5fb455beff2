/**
 * One conversation after EHLO: mail transactions one after the other, with the next one riding
 * behind the final dot.
 *
 *   idle ── begin ──▶ (reset ▶) mail ▶ rcpt ▶ data ──354──▶ ready ▶ (content ▶) dot ──reply──▶
 *   idle, or mail of the rider
 *                                        └─ refused ──▶ idle, or lone-dot when DATA was answered 354 all the same
 *
 * With PIPELINING (RFC 2920), MAIL, RCPT and DATA are one write. It also carries the content and
 * the dot of the message before: a content may be the first "command" of a group, DATA must be the
 * last (RFC 2920 3.1). The rider's replies come after the reply to the dot, so two transactions are
 * enough: `current`, whose replies come, and `rider`, of which none has come.
 */
import type { Channel, ChannelListener } from './channel.ts'
import { mailCommand, rcptCommand, type Offers } from './commands.ts'
import { stuffDots } from './dot-stuffing.ts'
import type { Opened } from './open-session.ts'
import { outcomeOfReply, type SmtpOutcome } from './outcome.ts'
import type { SmtpPhase } from './phase.ts'
import type { ReplyReader } from './reply-reader.ts'
import type { Timeouts } from './timeouts.ts'
import type { Transaction } from './transaction.ts'

type Ready = Extract<Opened, { kind: 'ready' }>
type Step =
  | 'idle'
  | 'reset'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'ready'
  | 'content'
  | 'dot'
  | 'lone-dot'
  | 'ended'

/**
 * The calls of a session to its holder. All are called at most once per event, and never re-enter.
 */
export interface SessionHolder {
  /** An envelope to send behind this session's final dot, whose lease allows MAIL, or null. */
  riderFor(session: Session): Transaction | null
  /**
   * The session has something to write: the holder calls `session.flush()` once this turn of the
   * event loop has read all.
   */
  wantsFlush(session: Session): void
  /** The transaction was not answered and had no content: it goes again, on a fresh connection. */
  goesAgain(transaction: Transaction): void
  /** The monotonic clock, in milliseconds. */
  nowMs(): number
  /** How long the reply to a final dot took, in milliseconds. */
  onDotAnswered(tookMs: number): void
  onIdle(session: Session): void
  onEnded(session: Session): void
}

/** Up to this size the content, the dot and the next commands are one write. */
const ONE_WRITE_OCTETS_MAX = 131_072
const BLOCK_OCTETS = 65_536

/** RFC 5321 4.1.1.4. The content ends with CRLF already. */
const finalDot = '.\r\n'
const resetCommand = 'RSET\r\n'

export class Session implements ChannelListener {
  readonly offers: Offers
  /** The peer, as it was connected to. */
  readonly peer: string
  /** The peer ended it, or fell out of step. */
  isBroken = false
  /** Transactions that were begun on this connection. */
  transactions = 0
  readonly #channel: Channel
  readonly #timeouts: Timeouts
  readonly #holder: SessionHolder
  #step: Step = 'idle'
  #current: Transaction | null = null
  #rider: Transaction | null = null
  /**
   * MAIL was accepted and nothing has ended the transaction since: RSET comes before the next one
   * (RFC 5321 4.1.1.5).
   */
  #isOpen = false
  /** The peer still answers commands of an envelope that another connection took. */
  #isSpoilt = false
  /** When the last final dot was written. */
  #dotAtMs = 0
  /** The last RCPT was accepted. */
  #hasRecipient = false

  constructor({ channel, offers, peer }: Ready, timeouts: Timeouts, holder: SessionHolder) {
    this.#channel = channel
    this.offers = offers
    this.peer = peer
    this.#timeouts = timeouts
    this.#holder = holder
    channel.listener = this
    channel.expectNothing()
  }

  get isIdle(): boolean {
    return this.#step === 'idle'
  }

  /** It takes no more, and says goodbye. */
  get isEnded(): boolean {
    return this.#step === 'ended'
  }

  /** It has an envelope, and no final dot has been written. */
  get isBeforeDot(): boolean {
    return (
      this.#current !== null &&
      this.#step !== 'dot' &&
      this.#step !== 'lone-dot' &&
      this.#step !== 'ended'
    )
  }

  /** Whether an envelope may still be sent behind the dot that waits for its reply. */
  get takesRider(): boolean {
    return this.#step === 'dot' && this.#rider === null && this.offers.pipelining && !this.#isSpoilt
  }

  /**
   * Gives up the rider when it has waited since before `before`. It had no content, so nothing of
   * it can leave here. Its commands are under way, so the connection ends with the reply to the
   * dot.
   */
  withdrawRider(before: number): Transaction | null {
    const rider = this.#rider
    if (this.#step !== 'dot' || rider === null || rider.since > before) return null
    this.#rider = null
    this.#isSpoilt = true
    return rider
  }

  /** Begins a transaction on an idle session. */
  begin(transaction: Transaction): void {
    this.#current = transaction
    this.transactions++
    this.#channel.write(this.#opening(transaction))
    if (this.#isOpen) this.#await('reset', this.#timeouts.ehlo)
    else this.#await('mail', this.#timeouts.mail)
  }

  /** Sends an envelope's commands behind a dot that was already written. */
  ride(transaction: Transaction): void {
    this.#rider = transaction
    this.transactions++
    this.#channel.write(resetCommand + this.#group(transaction))
  }

  /** Sends what waits: the content of a transaction that DATA has opened. */
  flush(): void {
    const transaction = this.#current
    if (this.#step !== 'ready' || transaction === null) return
    const content = stuffDots(transaction.envelope.bytes)
    if (content.length > ONE_WRITE_OCTETS_MAX) {
      if (!transaction.lease.mayProceed())
        return this.#returnCurrent('too little was left of the lease before the content')
      return this.#sendBlocks(transaction, content, 0)
    }
    // The content ends with its dot in the same write, so this is "before the final dot" (semantics
    // 2).
    this.#askForDot(transaction, () => {
      this.#rider = this.#takeRider()
      this.#channel.writeBoth(content, this.#dotAndRider(this.#rider))
      this.#awaitDot()
    })
  }

  onReply(reply: ReplyReader): void {
    // RFC 5321 3.8 and 4.2.3: the peer closes the connection, whatever the command was.
    if (reply.code === 421) return this.#onShutdown(reply)
    // RFC 5321 4.3.2: DATA has an intermediate reply and no other success; all else has 2xx.
    if (reply.code < 400 && (this.#step === 'data' ? reply.code !== 354 : !isPositive(reply)))
      return this.#onNonsense(reply)
    switch (this.#step) {
      case 'reset':
        return this.#afterReset(reply)
      case 'mail':
        return this.#afterMail(reply)
      case 'rcpt':
        return this.#afterRcpt(reply)
      case 'data':
        return this.#afterData(reply)
      case 'ready':
      case 'content':
        return this.#duringContent(reply)
      case 'dot':
        return this.#afterDot(reply)
      case 'lone-dot':
        return this.#goIdle()
      case 'idle':
      case 'ended':
        return this.#end()
    }
  }

  onLost(why: string): void {
    this.#abandon(why)
  }

  /** Ends an idle session politely. */
  quit(): void {
    this.#step = 'ended'
    this.#channel.quit(this.#timeouts.quit, () => this.#holder.onEnded(this))
  }

  /** Ends a session at once; the outcome of each envelope in it is how far it went. */
  drop(why: string): void {
    if (this.#step === 'ended') {
      this.#channel.drop()
      this.#holder.onEnded(this)
    } else if (this.#current !== null && this.#step !== 'dot') this.#returnCurrent(why)
    else this.#abandon(why)
  }

  #opening(transaction: Transaction): string {
    const reset = this.#isOpen ? resetCommand : ''
    if (this.offers.pipelining) return reset + this.#group(transaction)
    return this.#isOpen ? reset : mailCommand(transaction.envelope, this.offers)
  }

  /**
   * RSET comes before the rider's MAIL: against RFC 5321 4.1.1.4, Postfix keeps a transaction open
   * that it refused after its data. It would answer MAIL with 503 and add the rider's RCPT to the
   * other's envelope.
   */
  #dotAndRider(rider: Transaction | null): string {
    return rider === null ? finalDot : finalDot + resetCommand + this.#group(rider)
  }

  #group(transaction: Transaction): string {
    return `${mailCommand(transaction.envelope, this.offers)}${rcptCommand(transaction.envelope, this.offers)}DATA\r\n`
  }

  #afterReset(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction === null || !isPositive(reply))
      return this.#abandon(`RSET was answered ${reply.response()}`)
    this.#isOpen = false
    if (!this.offers.pipelining) {
      if (!transaction.lease.mayProceed())
        return this.#returnCurrent('too little was left of the lease before MAIL')
      this.#channel.write(mailCommand(transaction.envelope, this.offers))
    }
    this.#await('mail', this.#timeouts.mail)
  }

  #afterMail(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction === null) return this.#end()
    this.#hasRecipient = false
    if (isPositive(reply)) this.#isOpen = true
    else transaction.complete(this.#refusal('mail', reply))
    if (this.offers.pipelining) return this.#await('rcpt', this.#timeouts.rcpt)
    if (!this.#isOpen) return this.#goIdle()
    this.#channel.write(rcptCommand(transaction.envelope, this.offers))
    this.#await('rcpt', this.#timeouts.rcpt)
  }

  #afterRcpt(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction === null) return this.#end()
    // 250 and 251 (RFC 5321 3.4) take the recipient; after a refused MAIL the answer no longer
    // matters.
    this.#hasRecipient = isPositive(reply)
    if (!this.#hasRecipient) transaction.complete(this.#refusal('rcpt', reply))
    if (this.offers.pipelining) return this.#await('data', this.#timeouts.data)
    if (transaction.settled) return this.#goIdle()
    this.#channel.write('DATA\r\n')
    this.#await('data', this.#timeouts.data)
  }

  #afterData(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction === null) return this.#end()
    if (transaction.settled) {
      if (reply.code !== 354) return this.#goIdle()
      // MAIL was refused and the rest accepted: a dot would send an empty mail to the recipient.
      if (this.#hasRecipient) return this.#end()
      // RFC 2920 3.1: DATA was accepted although the recipient was not; a lone dot closes it, and
      // no recipient gets anything.
      this.#channel.write(finalDot)
      return this.#await('lone-dot', this.#timeouts.dot)
    }
    if (reply.code === 354) {
      this.#await('ready', this.#timeouts.block)
      return this.#holder.wantsFlush(this)
    }
    transaction.complete(outcomeOfReply('data', reply))
    this.#goIdle()
  }

  /**
   * A peer that answers in the middle of the content (too large, for instance) does not want the
   * rest.
   */
  #duringContent(reply: ReplyReader): void {
    if (reply.code < 400) return this.#onNonsense(reply)
    this.#current?.complete(outcomeOfReply('data', reply))
    this.#end()
  }

  #afterDot(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction === null) return this.#end()
    this.#holder.onDotAnswered(this.#holder.nowMs() - this.#dotAtMs)
    if (isPositive(reply)) transaction.complete({ kind: 'accepted', response: reply.response() })
    else transaction.complete(outcomeOfReply('replied', reply))
    if (this.#isSpoilt) return this.#end()
    // RFC 5321 4.1.1.4: the end of the data clears all buffers; after a refusal we do not rely on
    // it.
    this.#isOpen = !isPositive(reply)
    this.#current = this.#rider
    this.#rider = null
    if (this.#current === null) this.#goIdle()
    else this.#await('reset', this.#timeouts.ehlo)
  }

  /** The replies are out of step with our commands, so no later reply is reliable. */
  #onNonsense(reply: ReplyReader): void {
    this.#abandon(`unexpected reply: ${reply.response()}`)
  }

  /**
   * 421 answers the command that waits; a transaction that had no answer yet is not at fault, and
   * goes again.
   */
  #onShutdown(reply: ReplyReader): void {
    const transaction = this.#current
    if (transaction !== null && !transaction.settled) {
      if (this.#isUnanswered(transaction)) this.#holder.goesAgain(transaction)
      else
        transaction.complete(
          this.#refusal(this.#step === 'dot' ? 'replied' : phaseOf[this.#step], reply),
        )
    }
    this.isBroken = transaction !== null
    this.#end()
  }

  /** A temporary refusal before DATA has its host, because another one may be asked. */
  #refusal(phase: SmtpPhase, reply: ReplyReader): SmtpOutcome {
    const outcome = outcomeOfReply(phase, reply)
    const mayAskAnother = outcome.kind === 'deferred' && (phase === 'mail' || phase === 'rcpt')
    return mayAskAnother ? { ...outcome, peer: this.peer } : outcome
  }

  /** The connection is lost or useless. */
  #abandon(why: string): void {
    const transaction = this.#current
    if (transaction !== null && !transaction.settled) {
      if (this.#isUnanswered(transaction)) this.#holder.goesAgain(transaction)
      else transaction.complete(lossAt(this.#step, why))
    }
    this.isBroken = transaction !== null
    this.#end()
  }

  /**
   * Only failures by other messages on this connection are forgiven: a first transaction on a
   * closed connection is deferred.
   */
  #isUnanswered(transaction: Transaction): boolean {
    return (
      (this.#step === 'mail' || this.#step === 'reset') &&
      this.transactions > 1 &&
      !transaction.again
    )
  }

  #returnCurrent(why: string): void {
    if (this.#current !== null && !this.#current.settled)
      this.#current.complete({ kind: 'returned', why })
    this.#end()
  }

  /** The rider, if any, has had no answer at all. */
  #end(): void {
    if (this.#step === 'ended') return
    this.#step = 'ended'
    this.#channel.drop()
    if (this.#rider !== null) this.#holder.goesAgain(this.#rider)
    this.#current = null
    this.#rider = null
    this.#holder.onEnded(this)
  }

  #goIdle(): void {
    this.#current = null
    this.#step = 'idle'
    this.#channel.expectNothing()
    this.#holder.onIdle(this)
  }

  #await(step: Step, ms: number): void {
    this.#step = step
    this.#channel.expectWithin(ms)
  }

  #awaitDot(): void {
    this.#dotAtMs = this.#holder.nowMs()
    this.#await('dot', this.#timeouts.dot)
  }

  #takeRider(): Transaction | null {
    if (!this.offers.pipelining) return null
    const transaction = this.#holder.riderFor(this)
    if (transaction !== null) this.transactions++
    return transaction
  }

  /**
   * Sends a large content block by block as the peer takes them, and the dot when it has taken all.
   */
  #sendBlocks(transaction: Transaction, content: Buffer, from: number): void {
    this.#await('content', this.#timeouts.block)
    const to = Math.min(from + BLOCK_OCTETS, content.length)
    this.#channel.writeThen(content.subarray(from, to), () => {
      if (this.#step !== 'content') return
      if (to < content.length) return this.#sendBlocks(transaction, content, to)
      this.#askForDot(transaction, () => {
        this.#rider = this.#takeRider()
        this.#channel.write(this.#dotAndRider(this.#rider))
        this.#awaitDot()
      })
    })
  }

  /**
   * The peer may refuse, or the connection end, before the answer comes: then there is no dot to
   * write.
   */
  #askForDot(transaction: Transaction, pass: () => void): void {
    const step = this.#step
    const go = (mayPass: boolean): void => {
      if (this.#step !== step || this.#current !== transaction) return
      if (mayPass) pass()
      else
        this.#returnCurrent(
          'the final dot was not allowed: too little was left of the lease, or another holds the recipient',
        )
    }
    const answer = transaction.lease.mayPassDot()
    if (typeof answer === 'boolean') go(answer)
    else void answer.then(go)
  }
}

function isPositive(reply: ReplyReader): boolean {
  return reply.code >= 200 && reply.code < 300
}

/** The phase whose command waits for its reply. */
const phaseOf: Record<Step, SmtpPhase> = {
  idle: 'mail',
  reset: 'mail',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  ready: 'data',
  content: 'data',
  'lone-dot': 'data',
  dot: 'dot',
  ended: 'dot',
}

function lossAt(step: Step, why: string): SmtpOutcome {
  if (step === 'dot') return { kind: 'in_doubt', phase: 'dot', response: why }
  return { kind: 'deferred', phase: phaseOf[step], code: null, response: why }
}
