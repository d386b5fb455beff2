/**
 * `/healthz`: the process is alive. `/readyz`: it can do its work. `/metrics`: its measurements, for this machine or
 * the operator's token.
 */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../core/context.ts'
import { bearsToken, isAtThisMachine } from '../../core/operator/authorize-operator.ts'
import { inRequest } from '../../request-scope.ts'
import { checkReadiness } from './check-readiness.ts'
import type { Metrics } from './metrics.ts'

export interface HealthOptions {
  metrics: Metrics
  operatorToken: string | null
}

export function addHealthRoutes(
  server: FastifyInstance,
  ctx: Pick<Context, 'db' | 'clock'>,
  { metrics, operatorToken }: HealthOptions,
): void {
  const onRequest = { onRequest: (request: { id: string }, _reply: unknown, done: () => void) => inRequest(request.id, done) }
  // Some load balancers ask with HEAD.
  const method = ['GET', 'HEAD']

  server.route({
    ...{ method, url: '/healthz', ...onRequest },
    handler: (_request, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'alive' }),
  })
  server.route({
    ...{ method, url: '/readyz', ...onRequest },
    async handler(_request, reply) {
      const { ready, reasons } = await checkReadiness(ctx)
      const body = ready ? { status: 'ready' } : { status: 'not_ready', reasons }
      return reply
        .code(ready ? 200 : 503)
        .header('Cache-Control', 'no-store')
        .send(body)
    },
  })
  server.route({
    ...{ method, url: '/metrics', ...onRequest },
    async handler(request, reply) {
      const visitor = { peer: request.raw.socket.remoteAddress, headers: request.headers }
      if (!isAtThisMachine(visitor) && !bearsToken(visitor, operatorToken)) return reply.callNotFound()
      return reply
        .header('Cache-Control', 'no-store')
        .type(metrics.contentType)
        .send(await metrics.text())
    },
  })
}
