/** The HTTP door: routes from the contract, every answer from the dispatcher, every failure in the same envelope. */
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openApi } from '../../contract/openapi.ts'
import { operationIds, operations } from '../../contract/operations.ts'
import type { OperationId } from '../../contract/operations.ts'
import { reference } from '../../contract/reference.ts'
import type { Service } from '../../core/context.ts'
import { createRequestCounter } from '../../core/dispatch/count-request.ts'
import { createDispatch } from '../../core/dispatch/dispatch.ts'
import type { Dispatch } from '../../core/dispatch/dispatch.ts'
import { compileSchemas } from '../../core/dispatch/judge-shape.ts'
import { chooseRequestId, inRequest } from '../../request-scope.ts'
import { readBody } from './read-body.ts'

export interface ServeOptions {
  host: string
  port: number
  /** Whether `X-Forwarded-*` is believed, and from whom: fastify's `trustProxy`. */
  trustProxy: boolean | string
  /** Other doors on the same port: pages, health, metrics. */
  addRoutes?: (server: FastifyInstance) => void
  /** Throws the refusal while nothing new can be taken: the disk is nearly full. */
  judgeIntake?: () => void
  /** Told of each answered call, for metrics. */
  onAnswer?: (call: { operation: OperationId | null; status: number; seconds: number }) => void
}

export interface Served {
  /** `http://host:port`, with the port that was bound. */
  address: string
  /** Takes no new calls, lets those under way end. */
  close(): Promise<void>
}

/** Listens; rejects with the system's error (EADDRINUSE…) when it cannot. */
export async function serveApi(service: Service, options: ServeOptions): Promise<Served> {
  compileSchemas()
  const server = Fastify({
    trustProxy: options.trustProxy,
    // Addresses of 320 code points, percent-encoded, are legal parameters.
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: false },
    genReqId: (request) => chooseRequestId(request.headers['x-request-id']),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: 120_000,
    // Bad percent-encoding, parameters beyond any length: no operation lives there.
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      answerCall(request, reply, null)
    },
  })
  // Bodies are read when their turn comes, after key, scope and rate: fastify never touches them.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  // Answers of the other doors; the dispatcher's own are written without the framework.
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('X-Request-Id', request.id)
    done(null, payload)
  })

  const dispatch = createDispatch(service, createRequestCounter(service.countingDb), options.judgeIntake)
  const answerCall = (request: FastifyRequest, reply: FastifyReply, operation: OperationId | null): void => {
    void inRequest(request.id, () =>
      answer(service, dispatch, options, request, reply, operation).catch((error: unknown) => {
        service.log.error({ err: error }, 'An answer could not be written')
        reply.raw.destroy()
      }),
    )
  }
  for (const id of operationIds) {
    const { method, path, door } = operations[id]
    if (door !== 'api') continue
    server.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => {
        reply.hijack()
        answerCall(request, reply, id)
      },
      // A content type that cannot be read fails before the handler: the operation still judges it, in its turn.
      errorHandler: (_error, request, reply) => {
        reply.hijack()
        answerCall(request, reply, id)
      },
    })
  }
  addReference(server, service)
  options.addRoutes?.(server)
  server.setNotFoundHandler((request, reply) => {
    reply.hijack()
    answerCall(request, reply, null)
  })
  server.setErrorHandler((error, request, reply) => {
    service.log.error({ err: error, requestId: request.id }, 'The HTTP door failed')
    reply.hijack()
    answerCall(request, reply, null)
  })
  await server.listen({ host: options.host, port: options.port })
  const bound = server.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { address: `http://${host}:${port}`, close: () => closeServer(server) }
}

/** Connections that are still busy when closing begins become idle later; without a second look they would hold us for a minute. */
async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50)
  try {
    await server.close()
  } finally {
    clearInterval(sweep)
  }
}

async function answer(
  service: Service,
  dispatch: Dispatch,
  options: ServeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationId | null,
): Promise<void> {
  const startedAt = service.clock.monotonicMs()
  const result = await dispatch({
    operation,
    params: asTexts(request.params),
    query: asTexts(request.query),
    headers: request.raw.headers,
    readBody: (bytesMax) => readBody(request.raw, bytesMax),
    address: request.ip,
    requestId: request.id,
  })
  write(reply, result.status, { ...result.headers, 'X-Request-Id': request.id }, result.body)
  const ms = Math.round((service.clock.monotonicMs() - startedAt) * 10) / 10
  service.log.info(
    { requestId: request.id, operation, status: result.status, code: result.code, workspaceId: result.workspaceId, ms },
    'call',
  )
  options.onAnswer?.({ operation, status: result.status, seconds: ms / 1000 })
}

/** Straight onto the socket: the dispatcher's answer is whole, and no hook of the framework has anything to add. */
function write(reply: FastifyReply, status: number, headers: Record<string, string>, body: unknown): void {
  const text = JSON.stringify(body)
  reply.raw.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  reply.raw.end(text)
}

/** A repeated parameter counts once: the last. */
function asTexts(values: unknown): Record<string, string> {
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
      const one: unknown = Array.isArray(value) ? value.at(-1) : value
      return typeof one === 'string' ? [[name, one]] : []
    }),
  )
}

/** The contract as others read it: OpenAPI for programs, Markdown for people. */
function addReference(server: FastifyInstance, service: Service): void {
  const description = JSON.stringify(openApi(service.settings.baseUrl))
  const text = reference(service.settings.baseUrl)
  server.get('/api/v1/openapi.json', (request, reply) =>
    reply.headers({ 'Access-Control-Allow-Origin': '*', 'X-Request-Id': request.id }).type('application/json').send(description),
  )
  server.get('/docs', (_request, reply) => reply.type('text/markdown; charset=utf-8').send(text))
}
