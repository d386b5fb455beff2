/**
 * `/healthz`: the process is alive. `/readyz`: it can do its work. `/metrics`: its measurements,
 * for the operator (core/operator/authorize-operator.ts).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../core/context.ts'
import { isOperator } from '../../core/operator/authorize-operator.ts'
import { inRequest } from '../../ground/log.ts'
import { checkReadiness } from './check-readiness.ts'
import type { Metrics } from './metrics.ts'

export interface HealthOptions {
  metrics: Metrics
  operatorToken: string | null
  /** Aborted once the process was asked to stop, while it still answers calls. */
  stopping?: AbortSignal | undefined
  /** Whether the switch of a move keeps statements back for a few seconds. */
  isPaused?: (() => boolean) | undefined
}

export function addHealthRoutes(
  server: FastifyInstance,
  ctx: Pick<Context, 'db' | 'clock' | 'settings'>,
  { metrics, operatorToken, stopping, isPaused }: HealthOptions,
): void {
  const add = (
    url: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void => {
    server.route({
      // Some load balancers ask with HEAD.
      ...{ method: ['GET', 'HEAD'], url, handler },
      onRequest: (request, _reply, done) => inRequest(request.id, done),
    })
  }
  const uncached = (reply: FastifyReply): FastifyReply =>
    reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })

  add('/healthz', (_request, reply) => uncached(reply).send({ status: 'alive' }))
  add('/readyz', async (_request, reply) => {
    const { ready, reasons } = await checkReadiness(ctx, { stopping, isPaused })
    const body = ready ? { status: 'ready' } : { status: 'not_ready', reasons }
    return uncached(reply)
      .code(ready ? 200 : 503)
      .send(body)
  })
  add('/metrics', async (request, reply) => {
    const { headers, raw } = request
    const access = { token: operatorToken, baseUrl: ctx.settings.baseUrl }
    if (!isOperator({ peer: raw.socket.remoteAddress, headers }, access))
      return reply.callNotFound()
    return uncached(reply)
      .type(metrics.contentType)
      .send(await metrics.text())
  })
}
