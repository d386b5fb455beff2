/**
 * `POST /hooks/amazon-ses`: where Amazon SNS delivers the notices of Amazon SES. The answer follows
 * the commit; 5xx makes SNS deliver it again, 4xx does not. A refusal names no reason to the
 * caller: the log has it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../core/context.ts'
import type { EntryPoints } from '../../../core/dispatch/entry-points.ts'
import { createReceiveNotice } from '../../../core/feedback/amazon-ses/receive-notice.ts'
import type { ReceivedNotice } from '../../../core/feedback/amazon-ses/receipt.ts'
import { inRequest } from '../../../ground/log.ts'

/** SNS delivers messages of up to 256 KB, which escaping can double and more. */
const bytesMax = 1024 * 1024

/** Why a notice was not read, and the answer. */
const refusals = {
  too_large: { status: 413, why: 'it is too long' },
  too_slow: { status: 503, why: 'it came too slowly' },
  busy: { status: 503, why: 'too many come at once' },
  left: { status: 400, why: 'it broke off' },
}

export function addSesHook(
  server: FastifyInstance,
  service: Service,
  { readStrangersBody }: Pick<EntryPoints, 'readStrangersBody'>,
): void {
  const takeNotice = createReceiveNotice(service)

  const take = async (request: FastifyRequest, reply: FastifyReply): Promise<number> => {
    const read = await readStrangersBody(request, reply, bytesMax)
    if ('refused' in read) {
      const { status, why } = refusals[read.refused]
      service.log.warn({ via: 'http', why }, 'A notice was not read')
      return status
    }
    try {
      return statuses[(await takeNotice(read.bytes, { kind: 'http' })).kind]
    } catch (error) {
      service.log.error({ err: error }, 'A notice could not be processed; it has to be sent again')
      return 503
    }
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = await take(request, reply)
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
    // A content type that cannot be read fails before the handler; SNS says text/plain and means
    // JSON.
    errorHandler: (_error, request, reply) => void handler(request, reply),
  })
}

const answers: Record<number, string> = {
  200: 'taken',
  400: 'broken',
  403: 'refused',
  413: 'too long',
  503: 'later',
}

const statuses: Record<ReceivedNotice['kind'], number> = { taken: 200, refused: 403, later: 503 }
