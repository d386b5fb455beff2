/**
 * The referee: an SMTP server that is a program of its own and answers 250 to a mail only when it
 * is on the disk. After a crash, the service's own reports are checked against the mails stored
 * here. It shares no code with our client.
 *
 *   node test/support/referee-sink.ts --dir D [--host ADDRESS] [--port N] [--drop-after-dot P]
 *   [--seed S]
 *
 * The first line on standard output is the port. `--drop-after-dot 0.1`: one mail in ten is stored,
 * and the connection dropped without a reply, which is what puts a hand-off in doubt. Several mails
 * share one fsync.
 */
import {
  appendFileSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  write,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

export interface RefereeMail {
  from: string
  to: string[]
  bytes: Buffer
  /** Whether the sender got the reply. False means dropped after the fsync. */
  answered: boolean
  /** When its final dot came, in milliseconds of the wall clock. */
  atMs: number
}

/**
 * All mails that the referee has stored in this folder, in order. A torn last line was never
 * answered, and is left out.
 */
export function readReferee(dir: string): RefereeMail[] {
  const lines = readFileSync(journalIn(dir), 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => {
    const stored: { from: string; to: string[]; bytes: string; answered: boolean; atMs: number } =
      JSON.parse(line)
    return { ...stored, bytes: Buffer.from(stored.bytes, 'base64') }
  })
}

/** All to whom a content was asked for by 354, whether it came or not. */
export function readDataRecipients(dir: string): Set<string> {
  const file = dataNotesIn(dir)
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
}

function dataNotesIn(dir: string): string {
  return join(dir, 'data.txt')
}

function journalIn(dir: string): string {
  return join(dir, 'accepted.jsonl')
}

/**
 * Killed in the middle of a write: that line was never answered, and the next must not be glued to
 * it.
 */
function dropTornLine(file: string): void {
  if (!existsSync(file)) return
  const bytes = readFileSync(file)
  truncateSync(file, bytes.lastIndexOf(10) + 1)
}

/**
 * Appends lines; calls back when they are on the disk. Lines that arrive during a write share the
 * next one.
 */
class Journal {
  readonly #file: number
  readonly #dataNotes: string
  #lines: string[] = []
  #told: (() => void)[] = []
  #writing = false

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true })
    dropTornLine(journalIn(dir))
    this.#file = openSync(journalIn(dir), 'a')
    this.#dataNotes = dataNotesIn(dir)
  }

  /** Before the 354: a sender that has it may write the dot. */
  noteData(to: string[]): void {
    appendFileSync(this.#dataNotes, `${to.join('\n')}\n`)
  }

  append(line: string, onDisk: () => void): void {
    this.#lines.push(line)
    this.#told.push(onDisk)
    if (!this.#writing) this.#writeAll()
  }

  #writeAll(): void {
    const waiting = this.#told
    const bytes = Buffer.from(this.#lines.join(''))
    this.#lines = []
    this.#told = []
    this.#writing = true
    const stop = (error: Error): never => {
      throw error
    }
    const writeFrom = (at: number): void => {
      write(this.#file, bytes, at, (error, written) => {
        if (error) stop(error)
        if (at + written < bytes.length) return writeFrom(at + written)
        fdatasync(this.#file, (failure) => {
          if (failure) stop(failure)
          for (const notify of waiting) notify()
          this.#writing = false
          if (this.#told.length > 0) this.#writeAll()
        })
      })
    }
    writeFrom(0)
  }
}

/**
 * One connection: commands in order, and a mail's reply before commands pipelined behind its dot.
 */
class SmtpSession {
  readonly #socket: Socket
  readonly #journal: Journal
  readonly #dropsNow: () => boolean
  #unread: Buffer[] = []
  #tail = Buffer.alloc(0)
  #inContent = false
  #waitsForDisk = false
  #from: string | null = null
  #to: string[] = []

  constructor(parts: { socket: Socket; journal: Journal; dropsNow: () => boolean }) {
    this.#socket = parts.socket
    this.#journal = parts.journal
    this.#dropsNow = parts.dropsNow
    this.#socket.setNoDelay(true)
    this.#socket.on('error', () => {})
    this.#socket.on('data', (chunk: Buffer) => {
      this.#unread.push(chunk)
      this.#tail = Buffer.concat([this.#tail, chunk])
      // A content is only looked through when its end may have come, or a large one would be copied
      // again and again.
      if (!this.#inContent || this.#tail.includes('.\r\n')) this.#work()
      this.#tail = this.#tail.subarray(-2)
    })
    this.#socket.write('220 referee.test ESMTP\r\n')
  }

  #work(): void {
    const bytes = Buffer.concat(this.#unread)
    let at = 0
    let replies = ''
    while (!this.#waitsForDisk) {
      const next: { end: number; reply: string } | null = this.#inContent
        ? this.#takeContent(bytes, at)
        : this.#takeLine(bytes, at)
      if (next === null) break
      at = next.end
      replies += next.reply
    }
    this.#unread = at < bytes.length ? [bytes.subarray(at)] : []
    if (replies !== '') this.#socket.write(replies)
  }

  #takeLine(bytes: Buffer, at: number): { end: number; reply: string } | null {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) return null
    return { end: end + 2, reply: `${this.#answer(bytes.toString('utf8', at, end))}\r\n` }
  }

  #answer(line: string): string {
    const verb = line.slice(0, 4).toUpperCase()
    switch (verb) {
      case 'EHLO':
        return '250-referee.test\r\n250-PIPELINING\r\n250-SIZE 52428800\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 SMTPUTF8'
      case 'HELO':
        return '250 referee.test'
      case 'MAIL':
        if (this.#from !== null) return '503 5.5.1 nested MAIL'
        this.#from = addressIn(line)
        return '250 2.1.0 ok'
      case 'RCPT':
        if (this.#from === null) return '503 5.5.1 MAIL first'
        this.#to.push(addressIn(line))
        return '250 2.1.5 ok'
      case 'DATA':
        if (this.#to.length === 0) return '503 5.5.1 RCPT first'
        this.#inContent = true
        this.#journal.noteData(this.#to)
        return '354 end with a dot'
      case 'RSET':
        this.#from = null
        this.#to = []
        return '250 2.0.0 ok'
      case 'QUIT':
        this.#socket.end()
        return '221 2.0.0 bye'
      case 'NOOP':
        return '250 2.0.0 ok'
      default:
        return '500 5.5.2 unknown command'
    }
  }

  #takeContent(bytes: Buffer, at: number): { end: number; reply: string } | null {
    // RFC 5321 4.1.1.4: the CRLF that ends DATA's line also begins the final `CRLF . CRLF` of an
    // empty content.
    const isEmpty = bytes.subarray(at, at + 3).toString('latin1') === '.\r\n'
    const end = isEmpty ? at - 2 : bytes.indexOf('\r\n.\r\n', at)
    if (end === -1) return null
    const content = isEmpty ? Buffer.alloc(0) : bytes.subarray(at, end + 2)
    this.#keep(content)
    return { end: end + 5, reply: '' }
  }

  #keep(stuffed: Buffer): void {
    const from = this.#from ?? ''
    const to = this.#to
    const answered = !this.#dropsNow()
    this.#inContent = false
    this.#from = null
    this.#to = []
    this.#waitsForDisk = true
    this.#journal.append(
      `${JSON.stringify({ from, to, bytes: unstuffed(stuffed).toString('base64'), answered, atMs: Date.now() })}\n`,
      () => {
        this.#waitsForDisk = false
        if (!answered) {
          this.#socket.destroy()
          return
        }
        this.#socket.write('250 2.0.0 kept\r\n')
        this.#work()
      },
    )
  }
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? ''
}

/** RFC 5321 4.5.2: the first of a line's dots goes. */
function unstuffed(stuffed: Buffer): Buffer {
  const text = stuffed.toString('latin1')
  return Buffer.from(
    (text.startsWith('.') ? text.slice(1) : text).replaceAll('\r\n.', '\r\n'),
    'latin1',
  )
}

/** A seeded draw (mulberry32), so that a run can be repeated. */
function drawer(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function serve(): void {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      'drop-after-dot': { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
    },
  })
  if (values.dir === undefined) throw new Error('--dir is missing')
  const journal = new Journal(values.dir)
  const chance = Number(values['drop-after-dot'])
  const draw = drawer(Number(values.seed))
  const server = createServer(
    (socket) => new SmtpSession({ socket, journal, dropsNow: () => draw() < chance }),
  )
  server.listen(Number(values.port), values.host, 511, () => {
    const address = server.address()
    if (address !== null && typeof address !== 'string') console.log(address.port)
  })
}

if (import.meta.main) serve()
