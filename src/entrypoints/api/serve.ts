/**
 * The HTTP server: routes from the contract, every answer from the dispatcher, every failure in the
 * same envelope.
 */
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { describeUnknown } from '../../contract/describe-unknown.ts'
import { apiOperationIds, operations } from '../../contract/operations.ts'
import type { Service } from '../../core/context.ts'
import type { Intake } from '../../core/intake.ts'
import { noSuchAddress } from '../../core/dispatch/call.ts'
import { countInEachDatabase } from '../../core/dispatch/count-request.ts'
import { createDispatch } from '../../core/dispatch/dispatch.ts'
import { createDispatchTogether } from '../../core/dispatch/dispatch-together.ts'
import { createIdentify } from '../../core/dispatch/known-caller.ts'
import type { BodyLoad, EntryPoints, RenderMissing } from '../../core/dispatch/entry-points.ts'
import { compileSchemas } from '../../core/input/validate-shape.ts'
import { createOperatorDispatch } from '../../core/dispatch/operator-dispatch.ts'
import { createSessionDispatch } from '../../core/dispatch/session-dispatch.ts'
import {
  createPageRequests,
  type AnswerPageRequest,
} from '../../core/dispatch/answer-page-request.ts'
import { bodyBytesMax, memoryOfProcess, strangerBytesMax } from '../../ground/memory-bounds.ts'
import { noSchemas } from '../../ground/no-schemas.ts'
import { addDescription } from './add-description.ts'
import type { AnswerParts } from './answer-request.ts'
import {
  createRefuseUnread,
  headerBytesMax,
  readAcceptLanguage,
  refusalOf,
  type RefuseUnread,
} from './answer-unread.ts'
import { createUnrouted, type Unrouted } from './answer-unrouted.ts'
import { askForBody, markExpectsContinue } from './ask-for-body.ts'
import { BodyRoom } from './read-body.ts'
import { createReceiver, type RequestReceiver } from './receive-requests.ts'
import { createSlowBodies, fileMs } from './slow-bodies.ts'
import { createStrangersConnections } from './strangers-connections.ts'
import { createReadStrangersBody, StrangersRoom } from './strangers-room.ts'

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
  const countRequest = countInEachDatabase(service)
  const dispatch = createDispatch(service, countRequest, options.intake)
  const answerPage = createPageRequests(service, countRequest)
  const refuseUnread = createRefuseUnread(answerPage, service)
  const slowBodies = createSlowBodies(({ socket, headers }) =>
    refuseUnread(socket, refusalOf('ERR_HTTP_REQUEST_TIMEOUT'), headers),
  )
  const rooms = openRooms(service, options)
  const { calls, stopping, showMissing } = options
  const receiver = createReceiver({ service, ...rooms, slowBodies, calls, dispatch, stopping })
  const { answerBy } = receiver
  const unrouted = createUnrouted({ answerBy, answerPage, dispatch, showMissing })
  const server = createServer(receiver, unrouted, { service, options, refuseUnread })
  server.server.on('connection', rooms.strangersConnections.enter)
  for (const id of apiOperationIds) {
    const { method, path } = operations[id]
    addRoute(server, withHead(method), path, receiver.routeTo(receiver.callOf(id)))
  }
  addDescription(server, service, answerPage)
  options.addRoutes?.(server, answerPage, {
    ...{ answerPage, dispatch, identify: createIdentify(service, countRequest) },
    dispatchTogether: createDispatchTogether(service, countRequest, options.intake),
    readStrangersBody: createReadStrangersBody(rooms.strangersRoom),
    dispatchSession: createSessionDispatch(service, countRequest, options.intake),
    dispatchOperator: createOperatorDispatch(service, countRequest, options.intake),
    add(path, work) {
      unrouted.add(path, work)
      addRoute(server, server.supportedMethods, path, receiver.routeTo(work))
    },
    route(method, path, work, isOpenTo = () => true) {
      const answer = receiver.routeTo(work)
      addRoute(server, withHead(method), path, (request, reply, done) => {
        const { headers } = request
        if (isOpenTo({ peer: request.raw.socket.remoteAddress, headers }))
          answer(request, reply, done)
        else unrouted.answer(request, reply)
      })
    },
  })
  sweepWhileOpen(server, () => {
    const nowMs = service.clock.monotonicMs()
    slowBodies.sweep(nowMs)
    rooms.strangersRoom.sweep(nowMs)
    rooms.strangersConnections.sweep()
  })
  return listen(server, options)
}

/** The memory of this process for bodies, and the connections of strangers. */
function openRooms(
  { clock }: Service,
  { trustProxy, onBodies }: Pick<ServeOptions, 'trustProxy' | 'onBodies'>,
) {
  const bodies = new BodyRoom(bodyBytesMax(memoryOfProcess()))
  onBodies?.(() => bodies.load())
  const bytesMax = strangerBytesMax(memoryOfProcess())
  const strangersRoom = new StrangersRoom({ bytesMax, clock })
  const strangersConnections = createStrangersConnections(trustProxy)
  return { bodies, strangersRoom, strangersConnections }
}

function createServer(
  receiver: RequestReceiver,
  unrouted: Unrouted,
  {
    options: { trustProxy },
    service,
    refuseUnread,
  }: { options: ServeOptions; service: Service; refuseUnread: RefuseUnread },
): FastifyInstance {
  const server = Fastify({
    // We refuse a call without a Host ourselves, with the envelope of all refusals.
    http: { requireHostHeader: false, maxHeaderSize: headerBytesMax, headersTimeout: 60_000 },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else refuseUnread(socket, refusalOf(error.code), readAcceptLanguage(error.rawPacket))
    },
    trustProxy,
    // Addresses of 320 code points, percent-encoded, are legal parameters.
    routerOptions: {
      maxParamLength: 8192,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
    },
    genReqId: receiver.nameRequest,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // HEAD works where GET does, on pages as in calls (RFC 9110 9.1).
    exposeHeadRoutes: true,
    schemaController: noSchemas,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: fileMs,
    // Bad percent-encoding or overlong parameters: no operation has such a path.
    frameworkErrors: (_error, request, reply) => unrouted.answer(request, reply),
  })
  // The dispatcher reads bodies after key, scope and rate, so fastify never touches them.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Before any route: requests that no route may see, and methods that the framework does not
  // route.
  server.addHook('onRequest', receiver.passOn(unrouted.answer))
  // A page reads a form at once; calls ask for their body when they need it.
  server.addHook('preParsing', (request, reply, payload, done) => {
    askForBody(request, reply)
    done(null, payload)
  })
  // For answers of the other entry points; the dispatcher writes its own without the framework.
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('X-Request-Id', request.id)
    done(null, payload)
  })
  // Routes that decline a request come here; requests without a route are answered before.
  server.setNotFoundHandler(unrouted.answer)
  server.setErrorHandler((error, request, reply) => {
    service.log.error({ err: error, requestId: request.id }, 'The HTTP entry point failed')
    unrouted.refuse(request, reply)
  })
  server.server.prependListener('request', receiver.takeHead)
  // Node.js would answer these by itself, or not at all.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.server.on('checkContinue', (request, response) => {
    markExpectsContinue(request)
    server.server.emit('request', request, response)
  })
  server.server.on('connect', ({ headers, url = '' }, socket: Socket) =>
    refuseUnread(
      socket,
      noSuchAddress({ unknown: () => describeUnknown('CONNECT', url) }),
      headers,
    ),
  )
  return server
}

function addRoute(
  server: FastifyInstance,
  method: string | string[],
  path: string,
  onRequest: ReturnType<RequestReceiver['routeTo']>,
): void {
  const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
  server.route({ method, url, onRequest, handler: () => undefined })
}

function sweepWhileOpen(server: FastifyInstance, sweep: () => void): void {
  const sweeping = setInterval(sweep, sweepMs)
  server.addHook('onClose', (_server, done) => {
    clearInterval(sweeping)
    done()
  })
}

async function listen(server: FastifyInstance, options: ServeOptions): Promise<Served> {
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

/** HEAD works where GET does; Node.js leaves the body of its answer out (RFC 9110 9.3.2). */
const withHead = (method: string): string | string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : method
