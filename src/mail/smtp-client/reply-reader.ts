/**
 * Parses SMTP replies (RFC 5321 4.2) from raw chunks, with hard limits, and decodes text only on
 * request.
 *
 * 1. `push(chunk)` takes what arrived; the chunk's memory may be reused once `next()` has answered
 *    false.
 * 2. `next()` answers true for each whole reply: `code`, `lines()`, `enhanced()`, `response()` then
 *    describe it.
 * 3. `garbage` is set, for good, when the peer does not speak SMTP; the reader then reads nothing.
 */

/** RFC 5321 4.5.3.1.5 says 512 octets a line; real servers go beyond it. */
const LINE_OCTETS_MAX = 4_096
/** A whole reply; the longest honest one is that to EHLO. */
const REPLY_OCTETS_MAX = 32_768
/** The part of a reply that is stored and shown. */
const RESPONSE_CHARACTERS_MAX = 1_000

const LF = 10
const CR = 13
const SPACE = 32
const HYPHEN = 45
const ZERO = 48

const nothing = Buffer.alloc(0)

export class ReplyReader {
  /** The code of the reply at hand. */
  code = 0
  /** Why the peer's bytes are no SMTP reply, or null. */
  garbage: string | null = null

  #bytes: Buffer = nothing
  /** Where the reply at hand begins, and where it ends. */
  #start = 0
  #end = 0

  push(chunk: Buffer): void {
    const rest = this.#bytes.length - this.#end
    this.#bytes = rest === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#end), chunk])
    this.#start = 0
    this.#end = 0
  }

  next(): boolean {
    if (this.garbage !== null) return false
    this.#start = this.#end
    const end = this.#readReply(this.#end)
    if (end > 0) {
      this.#end = end
      return true
    }
    this.#keepRest()
    return false
  }

  /**
   * Discards the bytes read ahead: after the TLS handshake, nothing from before it counts (RFC 3207
   * 4.2).
   */
  clear(): void {
    this.#bytes = nothing
    this.#start = 0
    this.#end = 0
  }

  /** The texts of the lines, without codes. */
  lines(): string[] {
    const text = this.#bytes.toString('utf8', this.#start, this.#end)
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(4).replace(/\r$/, ''))
  }

  /** All lines as one, with the enhanced code at the front only, printable. */
  text(): string {
    const [first = '', ...others] = this.lines()
    const code = enhancedCodeOf(first, this.code)
    const rest =
      code === null
        ? others
        : others.map((line) => (line.startsWith(code) ? line.slice(code.length).trimStart() : line))
    return printable([first, ...rest].join(' '))
  }

  /**
   * The enhanced status code (RFC 3463, sent as RFC 2034 says) when its class agrees with the
   * reply's, or null.
   */
  enhanced(): string | null {
    return enhancedCodeOf(this.lines()[0] ?? '', this.code)
  }

  /** The stored text of the reply: `550 5.1.1 No such user`. */
  response(): string {
    const text = this.text()
    return text === '' ? String(this.code) : `${this.code} ${text}`
  }

  /** The end of the reply that begins at `from`, or 0 while it is not whole. */
  #readReply(from: number): number {
    const bytes = this.#bytes
    let line = from
    for (;;) {
      const lf = bytes.indexOf(LF, line)
      const length = (lf === -1 ? bytes.length : lf) - line
      if (length > LINE_OCTETS_MAX) return this.#refuse('a reply line is too long', line)
      if (line + length - from > REPLY_OCTETS_MAX) return this.#refuse('a reply is too long', from)
      if (lf === -1) return 0
      const code = codeAt(bytes, line)
      const after = bytes[line + 3] ?? LF
      const isLast = after !== HYPHEN
      if (code === 0 || (isLast && after !== SPACE && after !== CR && after !== LF))
        return this.#refuse('no SMTP reply', line)
      if (line !== from && code !== this.code)
        return this.#refuse('the lines of a reply have different codes', line)
      this.code = code
      line = lf + 1
      if (isLast) return line
    }
  }

  #refuse(why: string, at: number): number {
    this.garbage = `${why}: ${printable(this.#bytes.toString('latin1', at, Math.min(at + 80, this.#bytes.length)))}`
    return 0
  }

  /** Copies the part of a reply that has come, so that the chunk's owner may reuse its memory. */
  #keepRest(): void {
    const rest = this.#bytes.subarray(this.#end)
    this.#bytes = rest.length === 0 ? nothing : Buffer.from(rest)
    this.#start = 0
    this.#end = 0
  }
}

/** The three digits at `at` (RFC 5321 4.2: the first is 2 to 5, the second 0 to 5), or 0. */
function codeAt(bytes: Buffer, at: number): number {
  const first = (bytes[at] ?? 0) - ZERO
  const second = (bytes[at + 1] ?? 0) - ZERO
  const third = (bytes[at + 2] ?? 0) - ZERO
  if (!(first >= 2 && first <= 5 && second >= 0 && second <= 9 && third >= 0 && third <= 9))
    return 0
  return first * 100 + second * 10 + third
}

function enhancedCodeOf(line: string, code: number): string | null {
  const match = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(line)?.[1]
  return match !== undefined && match.startsWith(String(Math.floor(code / 100))) ? match : null
}

/** Control characters become spaces: replies go into records, pages and logs. */
function printable(text: string): string {
  return text.replace(controls, ' ').trim().slice(0, RESPONSE_CHARACTERS_MAX)
}

// oxlint-disable-next-line no-control-regex -- control characters are looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
