/**
 * `POST /hooks/amazon-ses`: where Amazon SNS delivers the notices of Amazon SES. The answer follows the commit; 5xx
 * makes SNS deliver it again, 4xx does not. A refusal names no reason to the caller: the log has it.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../core/context.ts'
import { createReceiveNotice } from '../../../core/feedback/amazon-ses/receive-notice.ts'
import type { ReceivedNotice } from '../../../core/feedback/amazon-ses/receipt.ts'
import { inRequest } from '../../../request-scope.ts'

/** SNS delivers messages of up to 256 KB, which escaping can double and more. */
const bytesMax = 1024 * 1024
/** Limit in bytes of all bodies in memory at once; SNS delivers the notices beyond it again. */
const heldMax = 64 * bytesMax

/** A complete notice, or the reason why it is not complete. */
type Read = { body: Buffer } | { status: 400 | 413 | 503; why: string }

export function addSesHook(server: FastifyInstance, service: Service): void {
  const takeNotice = createReceiveNotice(service)
  let held = 0

  const take = async (request: FastifyRequest): Promise<number> => {
    let byteCount = 0
    const hold = (more: number): boolean => {
      byteCount += more
      held += more
      return held <= heldMax
    }
    try {
      const read = await readBody(request.raw, hold)
      if ('body' in read) return statuses[(await takeNotice(read.body, { kind: 'http' })).kind]
      service.log.warn({ via: 'http', why: read.why }, 'A notice was not read')
      return read.status
    } catch (error) {
      service.log.error({ err: error }, 'A notice could not be processed; it has to be sent again')
      return 503
    } finally {
      held -= byteCount
    }
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = await take(request)
    if (status === 503) void reply.header('Retry-After', '5')
    return reply
      .code(status)
      .type('text/plain; charset=utf-8')
      .send(answers[status] ?? '')
  }
  server.route({
    method: 'POST',
    url: '/hooks/amazon-ses',
    onRequest: (request, _reply, done) => inRequest(request.id, done),
    handler,
    // A content type that cannot be read fails before the handler; SNS says text/plain and means JSON.
    errorHandler: (_error, request, reply) => void handler(request, reply),
  })
}

const answers: Record<number, string> = { 200: 'taken', 400: 'broken', 403: 'refused', 413: 'too long', 503: 'later' }

const statuses: Record<ReceivedNotice['kind'], number> = { taken: 200, refused: 403, later: 503 }

/** Reads the whole body even when it is too long: the sender reads the answer only after it has sent its body. */
async function readBody(request: IncomingMessage, hold: (byteCount: number) => boolean): Promise<Read> {
  const chunks: Buffer[] = []
  let length = 0
  let hasRoom = true
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > bytesMax || !(hasRoom &&= hold(chunk.length))) chunks.length = 0
      else chunks.push(chunk)
    }
  } catch {
    return { status: 400, why: 'it broke off' }
  }
  if (length > bytesMax) return { status: 413, why: 'it is too long' }
  return hasRoom ? { body: Buffer.concat(chunks) } : { status: 503, why: 'too many come at once' }
}
