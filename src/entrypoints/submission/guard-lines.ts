/**
 * Watches the bytes of a client for line ends that are not CRLF (RFC 5321 2.3.8). Servers that
 * take a bare LF for a line end see another mail than those that do not, and a second mail can be
 * smuggled between them. smtp-server takes the dot off a line that begins behind a bare LF, so the
 * bytes are watched before it reads them.
 */
export class LineGuard {
  /** Since the last `beginData`. */
  isDataBroken = false
  #isInData = false
  #endsWithCr = false
  /** Bytes of the line so far, and whether it begins with a dot. */
  #lineLength = 0
  #beginsWithDot = false

  /** The server has asked for a mail: what comes now is its bytes, up to the final dot. */
  beginData(): void {
    this.isDataBroken = false
    this.#isInData = true
    this.#beginLine()
  }

  /** False if a command has a line end that is none. */
  inspect(chunk: Buffer): boolean {
    let areCommandsWhole = true
    const breakHere = (): void => {
      if (this.#isInData) this.isDataBroken = true
      else areCommandsWhole = false
    }
    if (this.#endsWithCr && chunk.length > 0 && chunk[0] !== lf) breakHere()
    let from = 0
    for (let at = chunk.indexOf(lf); at !== -1; at = chunk.indexOf(lf, from)) {
      const cr = chunk.indexOf(carriageReturn, from)
      const isWhole = at > from ? chunk[at - 1] === carriageReturn : this.#takesCr(at, from)
      // One that stands before the end of the line.
      if (cr !== -1 && cr < at - 1) breakHere()
      // A bare LF is a byte of its line, as the server reads it.
      this.#measure(chunk, from, isWhole ? at : at + 1)
      if (isWhole) this.#endLine()
      else breakHere()
      this.#endsWithCr = false
      from = at + 1
    }
    const rest = chunk.indexOf(carriageReturn, from)
    if (rest !== -1 && rest < chunk.length - 1) breakHere()
    this.#measure(chunk, from, chunk.length)
    if (chunk.length > 0) this.#endsWithCr = chunk[chunk.length - 1] === carriageReturn
    return areCommandsWhole
  }

  /** An LF that begins a chunk belongs to the CR at the end of the one before. */
  #takesCr(at: number, from: number): boolean {
    return at === 0 && from === 0 && this.#endsWithCr
  }

  #measure(chunk: Buffer, from: number, to: number): void {
    if (this.#lineLength === 0 && to > from) this.#beginsWithDot = chunk[from] === dot
    this.#lineLength += to - from
  }

  /** The final dot stands alone between two CRLF (RFC 5321 4.1.1.4). */
  #endLine(): void {
    if (this.#isInData && this.#beginsWithDot && this.#lineLength === 2) this.#isInData = false
    this.#beginLine()
  }

  #beginLine(): void {
    this.#lineLength = 0
    this.#beginsWithDot = false
  }
}

const carriageReturn = 0x0d
const lf = 0x0a
const dot = 0x2e
