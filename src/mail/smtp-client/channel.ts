/**
 * One connection to a peer: writes bytes, reads replies, watches one deadline, and reports once why
 * it is lost.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../ground/clock.ts'
import { ReplyReader } from './reply-reader.ts'

export interface ChannelListener {
  /** One complete reply; the callee must take it from the reader now. */
  onReply(reply: ReplyReader): void
  /** Called once, last: closed, broken, silent for too long, or no SMTP. */
  onLost(why: string): void
}

export class Channel {
  listener: ChannelListener
  #socket: Socket
  readonly #clock: Clock
  readonly #reader = new ReplyReader()
  #deadline = Infinity
  #waitMs = 0
  #timer: NodeJS.Timeout | null = null
  #timerAt = Infinity
  #lost = false

  constructor(socket: Socket, clock: Clock, listener: ChannelListener) {
    this.#socket = socket
    this.#clock = clock
    this.listener = listener
    this.#attach()
  }

  /** Our own address on this connection, without the zone of a link-local one. */
  get localAddress(): string {
    return (this.#socket.localAddress ?? '127.0.0.1').replace(/%.*$/, '')
  }

  /** In one call of the system, and without a copy of the bytes. */
  writeBoth(bytes: Buffer, text: string): void {
    this.#socket.cork()
    this.#socket.write(bytes)
    this.#socket.write(text)
    this.#socket.uncork()
  }

  write(bytes: Buffer | string): void {
    this.#socket.write(bytes)
  }

  /** Calls back once the system has taken the bytes; never when the connection is lost before. */
  writeThen(bytes: Buffer, then: () => void): void {
    this.#socket.write(bytes, (error) => {
      if (!error && !this.#lost) then()
    })
  }

  /**
   * The next reply, or the next progress, must come within `ms`. One lazy timer, since this is
   * called for each command.
   */
  expectWithin(ms: number): void {
    this.#waitMs = ms
    this.#deadline = this.#clock.monotonicMs() + ms
    if (this.#deadline < this.#timerAt) this.#arm(ms)
  }

  /** Nothing is expected. */
  expectNothing(): void {
    this.#deadline = Infinity
  }

  /**
   * Hands the plain socket out, to be wrapped in TLS; not a byte of what was read in clear stays
   * (RFC 3207 4.2).
   */
  detach(): Socket {
    const socket = this.#socket
    socket
      .off('data', this.#onData)
      .off('error', this.#onError)
      .off('end', this.#onEnd)
      .off('close', this.#onClose)
    this.#reader.clear()
    return socket
  }

  /** Goes on with the wrapped socket. */
  resumeWith(socket: Socket): void {
    this.#socket = socket
    this.#attach()
  }

  /** Says goodbye (RFC 5321 4.1.1.10); the peer's answer changes nothing. */
  quit(ms: number, then: () => void): void {
    this.listener = {
      onReply: () => {
        this.drop()
        then()
      },
      onLost: then,
    }
    this.write('QUIT\r\n')
    this.expectWithin(ms)
  }

  /** Ends the connection at once, without an event to the listener. */
  drop(): void {
    this.#lost = true
    this.#deadline = Infinity
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#socket.destroy()
  }

  #attach(): void {
    this.#socket
      .on('data', this.#onData)
      .on('error', this.#onError)
      .on('end', this.#onEnd)
      .on('close', this.#onClose)
  }

  readonly #onData = (chunk: Buffer): void => {
    const reader = this.#reader
    reader.push(chunk)
    while (!this.#lost && reader.next()) this.listener.onReply(reader)
    if (!this.#lost && reader.garbage !== null)
      this.#lose(`the peer does not speak SMTP, ${reader.garbage}`)
  }

  readonly #onError = (error: NodeJS.ErrnoException): void =>
    this.#lose(`connection lost (${error.code ?? error.message})`)
  readonly #onEnd = (): void => this.#lose('the peer closed the connection')
  readonly #onClose = (): void => this.#lose('connection lost')

  #lose(why: string): void {
    if (this.#lost) return
    this.drop()
    this.listener.onLost(why)
  }

  #arm(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAt = this.#clock.monotonicMs() + ms
    this.#timer = setTimeout(() => this.#onTimer(), ms)
  }

  #onTimer(): void {
    this.#timer = null
    this.#timerAt = Infinity
    if (this.#deadline === Infinity) return
    const leftMs = this.#deadline - this.#clock.monotonicMs()
    if (leftMs > 0) this.#arm(leftMs)
    else this.#lose(`no answer within ${this.#waitMs / 1_000} s`)
  }
}
