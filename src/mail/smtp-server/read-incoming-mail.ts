/**
 * Reads a mail to its end, in chunks of any size: the server passes each line that begins with a
 * dot as one chunk.
 */
import { JoinedBytes } from '../../ground/joined-bytes.ts'

/** Counts the bytes of mails that are held. `hold` reserves that many more, if the limit allows. */
export interface MailMemory {
  hold(bytes: number): boolean
  release(bytes: number): void
}

/** The server's stream: buffers, and whether there were more bytes than allowed. */
export interface MailStream extends AsyncIterable<unknown> {
  readonly sizeExceeded: boolean
}

/**
 * Reads the mail to its end in any case, so that the sender gets the answer. The limits hold the
 * answered bytes: `release`. `broken_off`: the connection ended before the final dot, so there is
 * no mail, and no client to answer.
 */
export async function readIncomingMail(
  stream: MailStream,
  { memory, bytesMax }: { memory: MailMemory; bytesMax: number },
): Promise<Buffer | 'too_large' | 'busy' | 'broken_off'> {
  // Most mails come in one piece. Each piece is copied: the stream may use its bytes again.
  let mail: Buffer | JoinedBytes = Buffer.alloc(0)
  let held = 0
  let busy = false
  let tooLarge = false
  const releaseHeld = (): void => {
    memory.release(held)
    held = 0
  }
  try {
    // The server's stream gives buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      tooLarge ||= stream.sizeExceeded || held + chunk.length > bytesMax
      if (busy || tooLarge) releaseHeld()
      else if (memory.hold(chunk.length)) {
        mail = held === 0 ? Buffer.from(chunk) : withPiece(mail, chunk)
        held += chunk.length
      } else {
        busy = true
        releaseHeld()
      }
    }
  } catch {
    releaseHeld()
    return 'broken_off'
  }
  if (stream.sizeExceeded) releaseHeld()
  if (busy || tooLarge || stream.sizeExceeded) return busy ? 'busy' : 'too_large'
  return Buffer.isBuffer(mail) ? mail : mail.all()
}

function withPiece(mail: Buffer | JoinedBytes, piece: Buffer): JoinedBytes {
  const joined = Buffer.isBuffer(mail) ? new JoinedBytes(firstBytes) : mail
  if (Buffer.isBuffer(mail)) joined.add(mail)
  joined.add(piece)
  return joined
}

/** Most notices are smaller. */
const firstBytes = 16_384
