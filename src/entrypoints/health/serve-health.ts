/**
 * The health port of a process without the api role: health, readiness and metrics, and nothing
 * else.
 */
import Fastify from 'fastify'
import { errorBody } from '../../contract/errors.ts'
import type { Context } from '../../core/context.ts'
import { chooseLanguage } from '../../core/dispatch/call.ts'
import { chooseRequestId } from '../../ground/log.ts'
import { noSchemas } from '../../ground/no-schemas.ts'
import { addHealthRoutes, type HealthOptions } from './add-health-routes.ts'

type Parts = Pick<Context, 'db' | 'clock' | 'log' | 'settings'>

/**
 * Listens; rejects with the system's error (EADDRINUSE…) when it cannot. `address` has the port
 * that was bound.
 */
export async function serveHealth(
  ctx: Parts,
  options: HealthOptions & { host: string; port: number },
) {
  const server = Fastify({
    genReqId: (request) => chooseRequestId(request.headers['x-request-id']),
    exposeHeadRoutes: false,
    schemaController: noSchemas,
    return503OnClosing: false,
    forceCloseConnections: true,
    requestTimeout: 10_000,
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('X-Request-Id', request.id)
    done(null, payload)
  })
  addHealthRoutes(server, ctx, options)
  server.setNotFoundHandler((request, reply) => {
    const language = chooseLanguage(request.headers['accept-language'], ctx.settings.language)
    return reply.code(404).send(errorBody('not_found', {}, language))
  })
  server.setErrorHandler((error, request, reply) => {
    ctx.log.error({ err: error, requestId: request.id }, 'The health port failed')
    const language = chooseLanguage(request.headers['accept-language'], ctx.settings.language)
    return reply.code(500).send(errorBody('internal_error', {}, language))
  })
  const address = await server.listen({ host: options.host, port: options.port })
  return { address, close: () => server.close() }
}
