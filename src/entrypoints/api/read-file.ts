/**
 * Reads a request's body as a stream: with backpressure, and cut where it grows beyond its limit.
 */
import type { IncomingMessage } from 'node:http'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import { tooLarge } from './read-body.ts'

/** Throws `validation_error` beyond the limit, CallerLeft when the connection breaks. */
export async function* readFile(
  request: IncomingMessage,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  let byteCount = 0
  try {
    // The connection stays open when the reader stops early, because it carries the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = chunk
      byteCount += bytes.length
      if (byteCount > bytesMax) throw tooLarge(bytesMax)
      yield bytes
    }
    if (!request.complete) throw new CallerLeft()
  } catch (error) {
    // The only error of a request is a broken connection.
    throw request.destroyed && !request.complete ? new CallerLeft() : error
  } finally {
    request.resume()
  }
}
