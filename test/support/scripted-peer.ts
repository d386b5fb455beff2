/**
 * An SMTP server on loopback that does, at each phase, what a test's script says, and records all
 * that it got. It shares no code with our client.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'

export type PeerPhase =
  | 'greet' | 'ehlo' | 'helo' | 'starttls' | 'auth' | 'rset' | 'mail' | 'rcpt' | 'data' | 'content' | 'dot' | 'quit' // oxfmt-ignore

/** Where the peer stands when the script is asked. Counts begin at 1. */
export interface Moment {
  phase: PeerPhase
  /** Which connection, in order of arrival. */
  connection: number
  /** Which transaction on it. */
  message: number
  /** The command line, or the address of the message's recipient at `content` and `dot`. */
  line: string
  secure: boolean
}

/**
 * - `drop`: the connection is destroyed without a word; `hang`: nothing is said any more, the
 *   connection stays.
 * - any other text: one reply; lines apart by `\n`, sent with CRLF.
 * - `say` after `afterMs`, or once `after` has come, then closed when `close`.
 * - undefined: what a friendly server does.
 */
export type Behaviour =
  | string
  | { say: string; afterMs?: number; after?: Promise<void>; close?: boolean }
  | undefined
export type Script = (at: Moment) => Behaviour

export interface ReceivedMail {
  from: string
  to: string[]
  bytes: Buffer
  connection: number
}

export interface SmtpSession {
  /** The address that it came from. */
  from: string
  /** Every command line, in order, secrets included. */
  lines: string[]
  /** Command lines that were already there when an earlier one had not been answered. */
  pipelined: string[]
  /** A `hang` of the script has begun. */
  hangs: boolean
  ended: boolean
}

export interface ScriptedPeer {
  port: number
  requests: SmtpSession[]
  /** The accepted mails. */
  mails: ReceivedMail[]
  /** Resolves when the condition holds; it is looked at whenever something happens here. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

export interface PeerOptions {
  /** Where it listens; default a free port of 127.0.0.1. */
  at?: { host: string; port: number }
  /** EHLO keywords; default PIPELINING, SIZE, 8BITMIME, SMTPUTF8. */
  offers?: string[]
  script?: Script
  /** TLS from the first byte. */
  implicitTls?: boolean
  certificate?: { key: string; cert: string }
  /** A refused final dot leaves sender and recipients in place, as Postfix's access tables do. */
  keepsRefused?: boolean
}

export async function startScriptedPeer(options: PeerOptions = {}): Promise<ScriptedPeer> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    const request: SmtpSession = {
      from: socket.remoteAddress ?? '',
      lines: [],
      pipelined: [],
      hangs: false,
      ended: false,
    }
    peer.requests.push(request)
    new Talk({
      socket,
      session: request,
      connection: peer.requests.length,
      options,
      mails: peer.mails,
      changed,
    }).begin()
    sockets.add(socket)
    changed()
    socket.on('close', () => {
      sockets.delete(socket)
      request.ended = true
      changed()
    })
  })
  const waiting = new Set<{ condition: () => boolean; resolve: () => void }>()
  const changed = (): void => {
    for (const wait of waiting) {
      if (!wait.condition()) continue
      waiting.delete(wait)
      wait.resolve()
    }
  }
  server.listen(options.at ?? { host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const peer: ScriptedPeer = {
    port: portOf(server.address()),
    requests: [],
    mails: [],
    until: (condition) =>
      new Promise((resolve) => {
        waiting.add({ condition, resolve })
        changed()
      }),
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
  return peer
}

interface TalkGiven {
  socket: Socket
  session: SmtpSession
  connection: number
  options: PeerOptions
  mails: ReceivedMail[]
  changed: () => void
}

/** One connection. */
class Talk {
  readonly #given: TalkGiven
  #socket: Socket
  #secure = false
  #buffer = Buffer.alloc(0)
  #busy = false
  #mute = false
  #inContent = false
  #contentSeen = false
  #message = 0
  #from: string | null = null
  #to: string[] = []
  #authSteps = 0

  constructor(parts: TalkGiven) {
    this.#given = parts
    this.#socket = parts.socket
    parts.socket.on('error', () => {})
  }

  begin(): void {
    if (this.#given.options.implicitTls === true) this.#encrypt()
    this.#listen()
    this.#act('greet', '', '220 peer.test ESMTP')
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk])
      this.#work()
      this.#given.changed()
    })
  }

  #encrypt(): void {
    const { key, cert } = this.#given.options.certificate ?? { key: '', cert: '' }
    this.#given.socket.removeAllListeners('data')
    this.#socket = new TLSSocket(this.#given.socket, {
      isServer: true,
      secureContext: createSecureContext({ key, cert }),
    })
    this.#socket.on('error', () => {})
    this.#secure = true
  }

  #work(): void {
    while (!this.#busy && !this.#mute) {
      if (this.#inContent ? !this.#takeContent() : !this.#takeLine()) return
    }
    if (!this.#inContent && this.#busy && this.#buffer.length > 0) this.#notePipelined()
  }

  #notePipelined(): void {
    this.#given.session.pipelined.push(
      ...this.#buffer
        .toString('latin1')
        .split('\r\n')
        .filter((line) => line !== ''),
    )
  }

  #takeContent(): boolean {
    if (!this.#contentSeen && this.#buffer.length > 0) {
      this.#contentSeen = true
      const behaviour = this.#ask('content', this.#to.join(' '))
      if (behaviour !== undefined) {
        this.#perform('content', behaviour, () => {})
        return true
      }
    }
    const whole = Buffer.concat([Buffer.from('\r\n'), this.#buffer])
    const end = whole.indexOf('\r\n.\r\n')
    if (end === -1) return false
    // The CRLF before the dot belongs to the content (RFC 5321 4.1.1.4); the one set in front does
    // not.
    const stuffed = whole.subarray(0, end + 2)
    this.#buffer = Buffer.from(whole.subarray(end + 5))
    this.#inContent = false
    const mail = {
      from: this.#from ?? '',
      to: this.#to,
      bytes: unstuffed(stuffed),
      connection: this.#given.connection,
    }
    const forget = (): void => {
      this.#from = null
      this.#to = []
    }
    const { to } = mail
    if (this.#given.options.keepsRefused !== true) forget()
    this.#act(
      'dot',
      to.join(' '),
      to.length === 0 ? '554 5.5.1 no valid recipients' : '250 2.0.0 taken',
      () => {
        this.#given.mails.push(mail)
        forget()
      },
    )
    return true
  }

  #takeLine(): boolean {
    const end = this.#buffer.indexOf('\r\n')
    if (end === -1) return false
    const line = this.#buffer.toString('utf8', 0, end)
    this.#buffer = Buffer.from(this.#buffer.subarray(end + 2))
    this.#given.session.lines.push(line)
    if (this.#authSteps > 0) this.#authStep()
    else this.#command(line)
    return true
  }

  #command(line: string): void {
    const verb = line.split(' ')[0]?.toUpperCase() ?? ''
    switch (verb) {
      case 'EHLO':
        return this.#act(
          'ehlo',
          line,
          ['peer.test', ...this.#offers()]
            .map((word, at, all) => `250${at === all.length - 1 ? ' ' : '-'}${word}`)
            .join('\n'),
        )
      case 'HELO':
        return this.#act('helo', line, '250 peer.test')
      case 'STARTTLS':
        return this.#act('starttls', line, '220 2.0.0 go ahead', () => {
          this.#encrypt()
          this.#buffer = Buffer.alloc(0)
          this.#listen()
        })
      case 'AUTH':
        if (line.toUpperCase() === 'AUTH LOGIN')
          return this.#act('auth', line, '334 VXNlcm5hbWU6', () => (this.#authSteps = 2))
        return this.#act('auth', line, '235 2.7.0 welcome')
      case 'RSET':
        return this.#act('rset', line, '250 2.0.0 forgotten', () => {
          this.#from = null
          this.#to = []
        })
      case 'MAIL':
        this.#message++
        if (this.#from !== null) return this.#act('mail', line, '503 5.5.1 nested MAIL')
        return this.#act('mail', line, '250 2.1.0 sender', () => (this.#from = addressIn(line)))
      case 'RCPT':
        if (this.#from === null) return this.#act('rcpt', line, '503 5.5.1 MAIL first')
        return this.#act('rcpt', line, '250 2.1.5 recipient', () => this.#to.push(addressIn(line)))
      case 'DATA':
        if (this.#to.length === 0) return this.#act('data', line, '503 5.5.1 RCPT first')
        return this.#act('data', line, '354 go on')
      case 'QUIT':
        return this.#act('quit', line, '221 2.0.0 bye', () => this.#socket.end())
      default:
        return this.#act('rset', line, '500 5.5.2 what')
    }
  }

  #authStep(): void {
    this.#authSteps--
    if (this.#authSteps === 1) this.#act('auth', '', '334 UGFzc3dvcmQ6')
    else this.#act('auth', '', '235 2.7.0 welcome')
  }

  #offers(): string[] {
    return this.#given.options.offers ?? ['PIPELINING', 'SIZE 10000000', '8BITMIME', 'SMTPUTF8']
  }

  #ask(phase: PeerPhase, line: string): Behaviour {
    return this.#given.options.script?.({
      phase,
      connection: this.#given.connection,
      message: this.#message,
      line,
      secure: this.#secure, // oxfmt-ignore
    })
  }

  /** The effect comes with the friendly answer, or with one that says the same (2xx, 3xx). */
  #act(phase: PeerPhase, line: string, friendly: string, effect: () => unknown = () => {}): void {
    this.#perform(phase, this.#ask(phase, line) ?? friendly, effect)
  }

  #perform(
    phase: PeerPhase,
    behaviour: Exclude<Behaviour, undefined>,
    effect: () => unknown,
  ): void {
    if (behaviour === 'drop') {
      this.#mute = true
      this.#given.socket.destroy()
      return
    }
    if (behaviour === 'hang') {
      this.#mute = true
      this.#given.session.hangs = true
      // Nothing is taken from the system either, so that a large content gets stuck.
      this.#socket.pause()
      return
    }
    if (typeof behaviour === 'string') return this.#say(phase, behaviour, false, effect)
    this.#busy = true
    const answer = (): void => {
      this.#busy = false
      this.#say(phase, behaviour.say, behaviour.close === true, effect)
      this.#work()
    }
    if (behaviour.after) void behaviour.after.then(answer)
    else setTimeout(answer, behaviour.afterMs ?? 0)
  }

  #say(phase: PeerPhase, text: string, close: boolean, effect: () => unknown): void {
    this.#socket.write(text.replaceAll('\n', '\r\n') + '\r\n')
    if (/^[23]/.test(text)) effect()
    if (phase === 'data' && text.startsWith('354')) {
      this.#inContent = true
      this.#contentSeen = false
    }
    if (phase === 'content') this.#mute = true
    if (close || text.startsWith('421')) {
      this.#mute = true
      this.#socket.end()
    }
    this.#given.changed()
  }
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? ''
}

/** RFC 5321 4.5.2, from CRLF to the last CRLF. */
function unstuffed(stuffed: Buffer): Buffer {
  return Buffer.from(stuffed.toString('latin1').replaceAll('\r\n.', '\r\n').slice(2), 'latin1')
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}
