/**
 * Answers one request: an entry point reads it and answers, and the answer is written, logged and
 * counted.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../core/context.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import type { EntryPointAnswer, Incoming } from '../../core/dispatch/entry-points.ts'
import { uncached } from './answer-unread.ts'
import { askForBody } from './ask-for-body.ts'
import { readBody, type BodySlot, type BodyRoom } from './read-body.ts'
import { readFile } from './read-file.ts'
import type { SlowBodies } from './slow-bodies.ts'
import type { StrangersConnections } from './strangers-connections.ts'
import type { StrangersRoom } from './strangers-room.ts'
import { writeFile } from './write-file.ts'

export type AnswerIncoming = (incoming: Incoming) => Promise<EntryPointAnswer>

export interface AnswerParts {
  service: Service
  bodies: BodyRoom
  strangersRoom: StrangersRoom
  strangersConnections: StrangersConnections
  slowBodies: SlowBodies
  /** Observes each answered call, for metrics; operation `none`: no operation has this path. */
  calls:
    | { observe(labels: { operation: string; status: string }, seconds: number): void }
    | undefined
}

/**
 * Calls `work` with the request as the entry points read it, writes its answer, logs it and reports
 * it.
 */
export async function answerRequest(
  { service, bodies, strangersRoom, strangersConnections, slowBodies, calls }: AnswerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  work: AnswerIncoming,
): Promise<void> {
  const startedAt = service.clock.monotonicMs()
  const elapsed = (): number => Math.round((service.clock.monotonicMs() - startedAt) * 10) / 10
  let location: BodySlot | undefined
  // A connection that was reset has no address.
  const address = request.ip ?? ''
  const markKnown = (): void => strangersConnections.markKnown(request.raw.socket)
  try {
    const result = await traced(service, request, () =>
      work({
        method: request.method,
        params: asTexts(request.params),
        query: asTexts(request.query),
        headers: request.raw.headers,
        readBody(bytesMax, from) {
          if (from === 'stranger') location = strangersRoom.enter({ address, response: reply.raw })
          else {
            location ??= bodies.enter()
            markKnown()
          }
          const waits = request.raw.headers.expect !== undefined
          const goAhead = waits ? () => askForBody(request, reply) : undefined
          return readBody(request.raw, { slot: location, bytesMax, goAhead })
        },
        readFile(bytesMax) {
          markKnown()
          slowBodies.allowFile(request.raw)
          askForBody(request, reply)
          return readFile(request.raw, bytesMax)
        },
        reserveMemory: (bytes) => bodies.reserve(bytes),
        left: () => leaving(reply.raw),
        bytesRead: () => location?.retained ?? 0,
        address,
        requestId: request.id,
      }),
    )
    if (result.workspaceId !== null && result.status !== 401) markKnown()
    const headers = { ...uncached, ...result.headers, 'X-Request-Id': request.id }
    if (result.file) await writeFile(reply.raw, result.status, headers, result.file)
    else write(reply, result.status, headers, result.body)
    const { operation, status, code, workspaceId } = result
    const ms = elapsed()
    service.log.info({ requestId: request.id, operation, status, code, workspaceId, ms }, 'call')
    calls?.observe({ operation: operation ?? 'none', status: String(status) }, ms / 1000)
  } catch (error) {
    if (!(error instanceof CallerLeft)) throw error
    service.log.info({ requestId: request.id, ms: elapsed() }, 'caller left')
    reply.raw.destroy()
  } finally {
    location?.leave()
  }
}

/** Aborted when the connection closes, also behind an answer that was written. */
function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (response.destroyed) left.abort()
  else response.once('close', () => left.abort())
  return left.signal
}

/** Of a repeated parameter the last value counts. */
function asTexts(values: unknown): Record<string, string> {
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
      const item: unknown = Array.isArray(value) ? value.at(-1) : value
      return typeof item === 'string' ? [[name, item]] : []
    }),
  )
}

/** The call as a span, where traces are collected: it continues the caller's. */
function traced(
  { tracer }: Service,
  { id, method, raw }: FastifyRequest,
  work: () => Promise<EntryPointAnswer>,
): Promise<EntryPointAnswer> {
  if (!tracer) return work()
  const { traceparent } = raw.headers
  const parent = typeof traceparent === 'string' ? traceparent : undefined
  return tracer.span(
    { name: method, kind: 'server', parent },
    work,
    ({ operation, status, code }) => ({
      ...(operation !== null && { name: operation }),
      attributes: {
        ...{
          'http.request.method': method,
          'http.response.status_code': status,
          'facteur.request_id': id,
        },
        ...(operation !== null && { 'facteur.operation': operation }),
        ...(code !== null && { 'facteur.code': code }),
      },
      isFailed: status >= 500,
    }),
  )
}

/**
 * Writes to the socket directly: the dispatcher's answer is complete, and no hook of the framework
 * adds to it.
 */
function write(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  body: unknown,
): void {
  if (body === undefined) {
    reply.raw.writeHead(status, { ...headers, 'Content-Length': 0 })
    reply.raw.end()
    return
  }
  const text = JSON.stringify(body)
  reply.raw.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  reply.raw.end(text)
}
