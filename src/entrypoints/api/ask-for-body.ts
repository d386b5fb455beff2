/** Asks for the bodies of requests that wait for `100 Continue` (RFC 9110 10.1.1). */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Asks for the body (100 Continue): a caller without a valid key does not send it (RFC 9110
 * 10.1.1).
 */
export function askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (awaited.delete(raw)) reply.raw.writeContinue()
}

/** Remembers a request that sends its body after `100 Continue` alone. */
export function markExpectsContinue(request: IncomingMessage): void {
  awaited.add(request)
}

const awaited = new WeakSet<IncomingMessage>()
