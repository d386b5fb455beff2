/** Reads a request's body as a stream: with backpressure, and cut where it grows beyond its limit. */
import type { IncomingMessage } from 'node:http'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import { tooLarge } from './read-body.ts'

/** Throws `validation_error` beyond the limit, CallerLeft when it breaks off. */
export async function* readFile(request: IncomingMessage, bytesMax: number): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  let octets = 0
  try {
    // The connection lives on when the reader stops early: it is to carry the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = chunk
      octets += bytes.length
      if (octets > bytesMax) throw tooLarge(bytesMax)
      yield bytes
    }
    if (!request.complete) throw new CallerLeft()
  } catch (error) {
    // A request has no other error than that its connection broke.
    throw request.destroyed && !request.complete ? new CallerLeft() : error
  } finally {
    request.resume()
  }
}
