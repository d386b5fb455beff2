/**
 * Calls as a client makes them that meets crashes: bounded in time, and repeated until an answer
 * comes.
 */
import { setTimeout } from 'node:timers/promises'

export interface CallAnswer {
  status: number
  body: unknown
  /** Whether `Idempotent-Replay` says that an earlier call is answered. */
  replayed: boolean
  retryAfter: string | null
}

/**
 * `lost`: the connection broke or was refused, and the outcome is unknown. `late`: no answer within
 * the time.
 */
export type CallEnd = CallAnswer | 'lost' | 'late'

export interface Call {
  url: string
  apiKey: string
  /** Such as `POST /api/v1/emails`. */
  line: string
  body?: unknown
  idempotencyKey?: string
  /** `X-Request-Id`, which the process writes into its log. */
  requestId?: string
  /** Further headers. */
  headers?: Record<string, string>
  /** Longest wait for the answer; by default so long that only a call that hangs is late. */
  withinMs?: number
}

export async function call({
  url,
  apiKey,
  line,
  body,
  idempotencyKey,
  requestId,
  headers,
  withinMs = 120_000,
}: Call): Promise<CallEnd> {
  const [method = '', path = ''] = line.split(' ')
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    })
    return {
      status: response.status,
      body: await response.json(),
      replayed: response.headers.has('idempotent-replay'),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'late' : 'lost'
  }
}

/**
 * How long a client rests between two calls, in milliseconds: its pace is part of a scenario, and
 * no test waits by it.
 */
export const rest = (ms: number): Promise<void> => setTimeout(ms)

/**
 * Calls again while the connection is lost or the answer is 500 or 503, so often at most; answers
 * the last end.
 */
export async function callUntilAnswered(request: Call, callsMax = 50): Promise<CallEnd> {
  for (let calls = 1; ; calls++) {
    const end = await call(request)
    if (end === 'late' || calls === callsMax) return end
    if (end !== 'lost' && end.status !== 500 && end.status !== 503) return end
    // While the port is closed, frequent attempts take processor time from the process that they
    // wait for.
    await rest(end === 'lost' ? 600 : 100)
  }
}

/** The id of the accepted message; null for any other end. */
export function acceptedId(end: CallEnd): string | null {
  if (typeof end === 'string' || end.status !== 202) return null
  const { body } = end
  return typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string'
    ? body.id
    : null
}

/** The words for an end in a report. */
export function describeEnd(end: CallEnd): string {
  return typeof end === 'string' ? end : `${end.status} ${JSON.stringify(end.body).slice(0, 200)}`
}
