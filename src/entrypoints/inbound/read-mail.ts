/** Reads a mail to its end, whatever it is cut into: the server gives each line that begins with a dot by itself. */
import type { ConnectionLimits } from './connection-limits.ts'

/** What the server gives: buffers, and whether there were more octets than may be. */
export interface MailStream extends AsyncIterable<unknown> {
  readonly sizeExceeded: boolean
}

/**
 * It is read to its end in any case, so that the sender hears the answer. What is answered is held by the brakes: `letGo`.
 * `broken_off`: the connection ended before the final dot; there is no mail, and nobody to answer.
 */
export async function readIncomingMail(
  stream: MailStream,
  brakes: Pick<ConnectionLimits, 'hold' | 'letGo'>,
): Promise<Buffer | 'too_large' | 'busy' | 'broken_off'> {
  let mail: Buffer = Buffer.allocUnsafe(firstOctets)
  let held = 0
  let busy = false
  const forget = (): void => {
    brakes.letGo(held)
    held = 0
  }
  try {
    // The server's stream gives buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (busy || stream.sizeExceeded) forget()
      else if (brakes.hold(chunk.length)) {
        if (held + chunk.length > mail.length) mail = enlarged(mail, held, chunk.length)
        held += chunk.copy(mail, held)
      } else {
        busy = true
        forget()
      }
    }
  } catch {
    forget()
    return 'broken_off'
  }
  if (stream.sizeExceeded) forget()
  if (busy || stream.sizeExceeded) return busy ? 'busy' : 'too_large'
  return mail.subarray(0, held)
}

/** Most notices are smaller. */
const firstOctets = 16_384

/** Copied, not kept in pieces: a piece costs a hundred octets beside its own, and a mail could have a million of one. */
function enlarged(mail: Buffer, held: number, more: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(mail.length * 2, held + more))
  mail.copy(larger, 0, 0, held)
  return larger
}
