/**
 * Reads a mail to its end, in chunks of any size: the server passes each line that begins with a
 * dot as one chunk.
 */
import type { Readable } from 'node:stream'
import { JoinedBytes } from '../../ground/joined-bytes.ts'

/** Counts the bytes of mails that are held. `hold` reserves that many more, if the limit allows. */
export interface MailMemory {
  retain(bytes: number): boolean
  release(bytes: number): void
}

/** The server's stream: buffers, and whether there were more bytes than allowed. */
export interface MailStream extends Readable {
  readonly sizeExceeded: boolean
}

type IncomingMail = Buffer | 'too_large' | 'busy' | 'broken_off'

/**
 * Reads the mail to its end in any case, so that the sender gets the answer. The limits hold the
 * answered bytes: `release`. `broken_off`: the connection ended before the final dot, so there is
 * no mail, and no client to answer.
 */
export function readIncomingMail(
  stream: MailStream,
  limits: { memory: MailMemory; bytesMax: number },
): Promise<IncomingMail> {
  const pieces = new MailPieces(stream, limits)
  // By events: to iterate over a stream costs as much as to parse a small mail.
  return new Promise((resolve) => {
    const breakOff = (): void => {
      if (!stream.readableEnded) resolve(pieces.breakOff())
    }
    stream.on('data', (piece: Buffer) => pieces.add(piece))
    stream.once('end', () => resolve(pieces.end()))
    stream.once('error', breakOff).once('close', breakOff)
  })
}

class MailPieces {
  readonly #stream: Pick<MailStream, 'sizeExceeded'>
  readonly #memory: MailMemory
  readonly #bytesMax: number
  /** Most mails come in one piece. Each piece is copied: the stream may use its bytes again. */
  #mail: Buffer | JoinedBytes = Buffer.alloc(0)
  #retained = 0
  #refusal: 'too_large' | 'busy' | null = null

  constructor(
    stream: Pick<MailStream, 'sizeExceeded'>,
    { memory, bytesMax }: { memory: MailMemory; bytesMax: number },
  ) {
    this.#stream = stream
    this.#memory = memory
    this.#bytesMax = bytesMax
  }

  add(piece: Buffer): void {
    if (this.#refusal === 'busy') return
    if (this.#stream.sizeExceeded || this.#retained + piece.length > this.#bytesMax)
      return this.#refuse('too_large')
    if (this.#refusal !== null) return
    if (!this.#memory.retain(piece.length)) return this.#refuse('busy')
    this.#mail = this.#retained === 0 ? Buffer.from(piece) : withPiece(this.#mail, piece)
    this.#retained += piece.length
  }

  end(): IncomingMail {
    if (this.#stream.sizeExceeded && this.#refusal === null) this.#refuse('too_large')
    if (this.#refusal !== null) return this.#refusal
    return Buffer.isBuffer(this.#mail) ? this.#mail : this.#mail.all()
  }

  breakOff(): 'broken_off' {
    this.#release()
    return 'broken_off'
  }

  #refuse(refusal: 'too_large' | 'busy'): void {
    this.#refusal = refusal
    this.#release()
  }

  #release(): void {
    this.#memory.release(this.#retained)
    this.#retained = 0
    this.#mail = Buffer.alloc(0)
  }
}

function withPiece(mail: Buffer | JoinedBytes, piece: Buffer): JoinedBytes {
  const joined = Buffer.isBuffer(mail) ? new JoinedBytes(firstBytes) : mail
  if (Buffer.isBuffer(mail)) joined.add(mail)
  joined.add(piece)
  return joined
}

/** Most notices are smaller. */
const firstBytes = 16_384
