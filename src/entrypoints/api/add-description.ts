/** Serves the contract to programs, as OpenAPI. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openApi } from '../../contract/openapi.ts'
import type { Service } from '../../core/context.ts'
import type { AnswerPageRequest } from '../../core/dispatch/answer-page-request.ts'
import { uncached } from './answer-unread.ts'

/** Adds the route of the description; each request of it is counted. */
export function addDescription(
  server: FastifyInstance,
  service: Service,
  answerPage: AnswerPageRequest,
): void {
  const description = JSON.stringify(openApi(service.settings.baseUrl))
  server.route({ method: ['GET', 'HEAD'], url: '/api/v1/openapi.json', handler: answerDescription })
  async function answerDescription(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const pageRequest = { address: request.ip, requestId: request.id, headers: request.raw.headers }
    const counted = await answerPage(pageRequest, () => description)
    const headers = {
      ...uncached,
      'Access-Control-Allow-Origin': '*',
      'Content-Type': 'application/json',
    }
    if (counted.code === null)
      return reply.headers({ ...counted.headers, ...headers }).send(description)
    return reply.code(counted.status).headers(counted.headers).send(counted.body)
  }
}
