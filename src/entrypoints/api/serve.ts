/**
 * The HTTP server: routes from the contract, every answer from the dispatcher, every failure in the
 * same envelope.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { describeUnknown } from '../../contract/describe-unknown.ts'
import { apiOperationIds, operations, type OperationId } from '../../contract/operations.ts'
import type { Service } from '../../core/context.ts'
import type { Intake } from '../../core/intake.ts'
import { noSuchAddress, type Call } from '../../core/dispatch/call.ts'
import { createCellCounter } from '../../core/dispatch/count-request.ts'
import { createDispatch, createIdentify } from '../../core/dispatch/dispatch.ts'
import type { BodyLoad, EntryPoints, RenderMissing } from '../../core/dispatch/entry-points.ts'
import { compileSchemas } from '../../core/input/validate-shape.ts'
import { createSessionDispatch } from '../../core/dispatch/session-dispatch.ts'
import {
  createPageRequests,
  type AnswerPageRequest,
} from '../../core/dispatch/answer-page-request.ts'
import { bodiesHeldMax, memoryOfProcess, strangersHeldMax } from '../../memory-bounds.ts'
import { chooseRequestId, inRequest } from '../../log.ts'
import { noSchemas } from '../../no-schemas.ts'
import { addDescription } from './add-description.ts'
import { answerRequest, type AnswerIncoming, type AnswerParts } from './answer-request.ts'
import { answerUnread, headerBytesMax, readAcceptLanguage, refusalOf } from './answer-unread.ts'
import { askForBody, markExpectsContinue } from './ask-for-body.ts'
import { BodyRoom } from './read-body.ts'
import { createSlowBodies, fileMs } from './slow-bodies.ts'
import { createStrangersConnections } from './strangers-connections.ts'
import { readStrangersBody, StrangersRoom } from './strangers-room.ts'
import { createTransportSecurity } from './transport-security.ts'

export interface ServeOptions {
  host: string
  port: number
  /** Whether `X-Forwarded-*` is trusted, and from which addresses: fastify's `trustProxy`. */
  trustProxy: boolean | string
  /**
   * Adds the other entry points of the port: pages, health, metrics. `answerPage` counts their
   * requests as the API counts its own; `entryPoints` adds whole paths and routes.
   */
  addRoutes?: (
    server: FastifyInstance,
    answerPage: AnswerPageRequest,
    entryPoints: EntryPoints,
  ) => void
  showMissing?: RenderMissing
  /** Why nothing new is accepted now. */
  intake?: Intake
  /** Receives a function that reads the memory of request bodies, for metrics. */
  onBodies?: (load: () => BodyLoad) => void
  /**
   * Aborted once the process was asked to stop: each later answer ends its connection, so that the
   * caller opens the next one elsewhere.
   */
  stopping?: AbortSignal | undefined
  calls?: AnswerParts['calls']
}

export interface Served {
  /** `http://host:port`, with the port that was bound. */
  address: string
  /** Accepts no new calls, and waits for those under way. */
  close(): Promise<void>
}

/** The interval of the search for slow bodies. */
const sweepMs = 5_000

/** Listens; rejects with the system's error (EADDRINUSE…) when it cannot. */
export async function serveApi(service: Service, options: ServeOptions): Promise<Served> {
  compileSchemas()
  const countRequest = createCellCounter(service)
  const dispatch = createDispatch(service, countRequest, options.intake)
  const answerPage = createPageRequests(service, countRequest)
  const refuseUnread = (socket: Socket, refusal: ApiError, headers: Call['headers']): void => {
    answerUnread({ answerPage, clock: service.clock }, socket, refusal, headers).catch(
      (error: unknown) => {
        service.log.error({ err: error }, 'A refusal could not be written')
        socket.destroy()
      },
    )
  }
  const slowBodies = createSlowBodies(({ socket, headers }) =>
    refuseUnread(socket, refusalOf('ERR_HTTP_REQUEST_TIMEOUT'), headers),
  )
  const bodies = new BodyRoom(bodiesHeldMax(memoryOfProcess()))
  options.onBodies?.(() => bodies.load())
  const strangersRoom = new StrangersRoom({
    bytesMax: strangersHeldMax(memoryOfProcess()),
    clock: service.clock,
  })
  const strangersConnections = createStrangersConnections(options.trustProxy)
  const parts: AnswerParts = {
    service,
    bodies,
    strangersRoom,
    strangersConnections,
    slowBodies,
    calls: options.calls,
  }
  const server = Fastify({
    // We refuse a call without a Host ourselves, with the envelope of all refusals.
    http: { requireHostHeader: false, maxHeaderSize: headerBytesMax, headersTimeout: 60_000 },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else refuseUnread(socket, refusalOf(error.code), readAcceptLanguage(error.rawPacket))
    },
    trustProxy: options.trustProxy,
    // Addresses of 320 code points, percent-encoded, are legal parameters.
    routerOptions: {
      maxParamLength: 8192,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
    },
    genReqId: (request) => chooseRequestId(request.headers['x-request-id']),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // HEAD works where GET does, on pages as in calls (RFC 9110 9.1).
    exposeHeadRoutes: true,
    schemaController: noSchemas,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: fileMs,
    // Bad percent-encoding or overlong parameters: no operation has such a path.
    frameworkErrors: (_error, request, reply) => answerUnrouted(request, reply),
  })
  // The dispatcher reads bodies after key, scope and rate, so fastify never touches them.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  // Before any route: requests that no route may see, and methods that the framework does not
  // route.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || !hasOneHost(request.raw)) answerUnrouted(request, reply)
    else done()
  })
  // A page reads a form at once; calls ask for their body when they need it.
  server.addHook('preParsing', (request, reply, payload, done) => {
    if (request.raw.headers.expect !== undefined) askForBody(request, reply)
    done(null, payload)
  })

  // For answers of the other entry points; the dispatcher writes its own without the framework.
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('X-Request-Id', request.id)
    done(null, payload)
  })

  server.server.on('connection', strangersConnections.enter)
  server.server.on('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length !== undefined || encoding !== undefined) slowBodies.enter(request)
  })
  const secureTransport = createTransportSecurity(service.settings.baseUrl)
  server.server.prependListener('request', (request, response) => {
    secureTransport(request, response)
    if (options.stopping?.aborted) response.shouldKeepAlive = false
  })

  // Node.js would answer both by itself, or not at all.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.server.on('connect', ({ headers, url = '' }, socket: Socket) =>
    refuseUnread(
      socket,
      noSuchAddress({ unknown: () => describeUnknown('CONNECT', url) }),
      headers,
    ),
  )
  server.server.on('checkContinue', (request, response) => {
    markExpectsContinue(request)
    server.server.emit('request', request, response)
  })

  const answerBy = (request: FastifyRequest, reply: FastifyReply, work: AnswerIncoming): void => {
    void inRequest(request.id, () =>
      answerRequest(parts, request, reply, work).catch((error: unknown) => {
        service.log.error({ err: error }, 'An answer could not be written')
        reply.raw.destroy()
      }),
    )
  }
  // RFC 9112 3.2: 400, a status that no code of the table has.
  const refuseHost: AnswerIncoming = async (incoming) => {
    const refused = await answerPage(incoming, () => {
      throw new ApiError('validation_error', { path: 'Host', rule: 'host' })
    })
    if (refused.code !== 'validation_error') return { ...refused, operation: null }
    return {
      ...refused,
      status: 400,
      body: { ...Object(refused.body), statusCode: 400 },
      operation: null,
    }
  }
  const answerCall = (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: OperationId | null,
  ): void =>
    answerBy(request, reply, async (incoming) => {
      const { params, query, headers } = incoming
      const unknown =
        operation === null ? { unknown: () => describeUnknown(request.method, request.url) } : {}
      const answered = {
        ...(await dispatch({
          ...incoming,
          ...unknown,
          operation,
          input: { params, query, headers },
        })),
        operation,
      }
      if (operation !== null || !options.showMissing) return answered
      return options.showMissing(answered, { method: request.method, url: request.url, headers })
    })
  const addRoute = (
    method: string | string[],
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => void,
  ): void => {
    // Runs before the framework checks the content type, because the operation checks it later.
    // `done` is never called.
    const onRequest = (request: FastifyRequest, reply: FastifyReply, _done: () => void): void => {
      reply.hijack()
      handler(request, reply)
    }
    server.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest,
      handler: () => undefined,
    })
  }
  // The framework routes the commonest methods only: its not-found handler passes the others to
  // these entry points.
  const otherEntryPoints = new Map<string, AnswerIncoming>()
  // Without one Host alone it is refused, whatever its path.
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack()
    const work = hasOneHost(request.raw) ? otherEntryPoints.get(plainPath(request.url)) : refuseHost
    if (work) answerBy(request, reply, work)
    else answerCall(request, reply, null)
  }
  for (const id of apiOperationIds) {
    const { method, path } = operations[id]
    addRoute(withHead(method), path, (request, reply) => answerCall(request, reply, id))
  }
  addDescription(server, service, answerPage)
  options.addRoutes?.(server, answerPage, {
    ...{ answerPage, dispatch, identify: createIdentify(service, countRequest) },
    readStrangersBody: ({ raw, ip }, reply, bytesMax) =>
      readStrangersBody(strangersRoom, {
        request: raw,
        address: ip ?? '',
        response: reply.raw,
        bytesMax,
      }),
    dispatchSession: createSessionDispatch(service, countRequest, options.intake),
    add(path, work) {
      otherEntryPoints.set(path, work)
      addRoute(server.supportedMethods, path, (request, reply) => answerBy(request, reply, work))
    },
    route(method, path, work) {
      addRoute(withHead(method), path, (request, reply) => answerBy(request, reply, work))
    },
  })
  // Routes that decline a request come here; requests without a route are answered before.
  server.setNotFoundHandler(answerUnrouted)
  server.setErrorHandler((error, request, reply) => {
    service.log.error({ err: error, requestId: request.id }, 'The HTTP entry point failed')
    reply.hijack()
    answerCall(request, reply, null)
  })
  const sweeping = setInterval(() => {
    const nowMs = service.clock.monotonicMs()
    slowBodies.sweep(nowMs)
    strangersRoom.sweep(nowMs)
    strangersConnections.sweep()
  }, sweepMs)
  server.addHook('onClose', (_server, done) => {
    clearInterval(sweeping)
    done()
  })
  await server.listen({ host: options.host, port: options.port })
  const bound = server.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { address: `http://${host}:${port}`, close: () => closeServer(server) }
}

/**
 * Closes connections that become idle after the stop began: otherwise they would delay it by a
 * minute.
 */
async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50)
  try {
    await server.close()
  } finally {
    clearInterval(sweep)
  }
}

/**
 * A path as the router compares it: repeated slashes are one, and a slash at the end is dropped
 * (semantics 4).
 */
const plainPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')

/** HEAD works where GET does; Node.js leaves the body of its answer out (RFC 9110 9.3.2). */
const withHead = (method: string): string | string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : method

/** RFC 9112 3.2; HTTP/1.0 knows no Host. */
function hasOneHost({ rawHeaders, httpVersionMinor, headers }: IncomingMessage): boolean {
  if (headers.host === undefined || headers.host === '')
    return httpVersionMinor === 0 && headers.host === undefined
  let found = 0
  for (let place = 0; place < rawHeaders.length; place += 2)
    if (rawHeaders[place]?.toLowerCase() === 'host') found++
  return found === 1
}
