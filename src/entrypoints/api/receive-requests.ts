/**
 * Receives every request of the port, before and after its route: what its head decides, whose call
 * it is, and that its answer is written.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../../contract/operations.ts'
import type { Dispatch } from '../../core/dispatch/dispatch.ts'
import { chooseRequestId, inRequest } from '../../ground/log.ts'
import { answerRequest, type AnswerIncoming, type AnswerParts } from './answer-request.ts'
import { createTransportSecurity } from './transport-security.ts'

export type RequestReceiver = ReturnType<typeof createReceiver>

/** `stopping`: each later answer ends its connection. */
export function createReceiver(
  parts: AnswerParts & { dispatch: Dispatch; stopping: AbortSignal | undefined },
) {
  const { service, slowBodies, dispatch, stopping } = parts
  const secureTransport = createTransportSecurity(service.settings.baseUrl)

  const answerBy = (request: FastifyRequest, reply: FastifyReply, work: AnswerIncoming): void => {
    void inRequest(request.id, () =>
      answerRequest(parts, request, reply, work).catch((error: unknown) => {
        service.log.error({ err: error }, 'An answer could not be written')
        reply.raw.destroy()
      }),
    )
  }
  return {
    answerBy,
    nameRequest: (request: IncomingMessage): string =>
      chooseRequestId(request.headers['x-request-id']),
    /** Runs before the framework sees the request. */
    takeHead(request: IncomingMessage, response: ServerResponse): void {
      secureTransport?.(request, response)
      if (stopping?.aborted) response.shouldKeepAlive = false
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      if (length !== undefined || encoding !== undefined) slowBodies.enter(request)
    },
    /**
     * The hook of a route. It runs before the framework checks the content type, because the
     * operation checks it later, and never calls `done`.
     */
    routeTo:
      (work: AnswerIncoming) =>
      (request: FastifyRequest, reply: FastifyReply, _done: () => void): void => {
        reply.hijack()
        answerBy(request, reply, work)
      },
    callOf:
      (operation: OperationId): AnswerIncoming =>
      async (incoming) => {
        const { params, query, headers } = incoming
        const input = { params, query, headers }
        return { ...(await dispatch({ ...incoming, operation, input })), operation }
      },
    /** Passes a request on to its route; others go to `answerUnrouted`. */
    passOn:
      (answerUnrouted: (request: FastifyRequest, reply: FastifyReply) => void) =>
      (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
        if (request.is404 || !hasOneHost(request.raw)) answerUnrouted(request, reply)
        else done()
      },
  }
}

/** RFC 9112 3.2; HTTP/1.0 knows no Host. */
export function hasOneHost({ rawHeaders, httpVersionMinor, headers }: IncomingMessage): boolean {
  if (headers.host === undefined || headers.host === '')
    return httpVersionMinor === 0 && headers.host === undefined
  let result = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') result++
  return result === 1
}
