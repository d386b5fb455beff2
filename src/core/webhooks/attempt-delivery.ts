/**
 * Makes one delivery attempt: posts the signed body and describes the result for the journal.
 * Workers, tests and replays use it.
 */
import type { AttemptToLog } from '../../db/webhooks/attempt-log.ts'
import type { OutboundAnswer } from '../../ground/outbound/create-outbound.ts'
import type { Context } from '../context.ts'
import { presentEventId } from '../presentation/event-id.ts'
import { signEvent } from './sign-event.ts'

/** The limit for the whole call, in milliseconds (spec: Delivery rules). */
export const callMs = 15_000
/** Bytes of the answer that are read and stored. */
const answerMax = 2_048

export interface ToDeliver {
  url: string
  secrets: readonly string[]
  eventId: string
  body: string
}

export interface Attempt extends Omit<AttemptToLog, 'attempt' | 'at'> {
  /** `returned`: we stopped before the answer. `unmade`: no call was made, so it is no attempt. */
  outcome: 'delivered' | 'failed' | 'returned' | 'unmade'
}

type Parts = Pick<Context, 'clock' | 'outbound' | 'tracer'>
type Requested = { signal?: AbortSignal } & ToDeliver

/** Never rejects. `signal` ends the call without an answer. */
export function attemptDelivery(ctx: Parts, request: Requested): Promise<Attempt> {
  if (!ctx.tracer) return attemptOnce(ctx, request)
  return ctx.tracer.span(
    { name: 'webhook', kind: 'client' },
    () => attemptOnce(ctx, request),
    ({ outcome, status }) => ({
      attributes: {
        'facteur.outcome': outcome,
        ...(status !== null && { 'http.response.status_code': status }),
      },
      isFailed: outcome === 'failed',
    }),
  )
}

async function attemptOnce(
  ctx: Parts,
  { url, secrets, eventId, body, signal }: Requested,
): Promise<Attempt> {
  const beganMs = ctx.clock.monotonicMs()
  const headers = signEvent({
    eventId: presentEventId(eventId),
    body,
    secrets,
    at: Math.floor(ctx.clock.now().getTime() / 1000),
  })
  const answer = await ctx.outbound.send({
    method: 'POST',
    url: new URL(url),
    headers: { 'content-type': 'application/json', ...headers },
    body,
    withinMs: callMs,
    readMax: answerMax,
    ...(signal && { signal }),
  })
  const wasWritten = answer.kind === 'answered' || (answer.kind === 'failed' && answer.written)
  return {
    ...check(answer),
    durationMs: Math.round(ctx.clock.monotonicMs() - beganMs),
    sent: wasWritten
      ? { url, signature: headers['service-signature'], standard: headers['webhook-signature'] }
      : null,
  }
}

/**
 * A 2xx within the time is a success, anything else a failure, including redirects and 410 (spec:
 * Delivery rules; semantics 4).
 */
function check(answer: OutboundAnswer): Omit<Attempt, 'durationMs' | 'sent'> {
  switch (answer.kind) {
    case 'answered': {
      const { status } = answer
      const isDelivered = status >= 200 && status < 300
      const error = isDelivered ? null : describeStatus(status)
      return {
        outcome: isDelivered ? 'delivered' : 'failed',
        status,
        body: asText(answer.body),
        error,
      }
    }
    case 'refused':
      return { outcome: 'failed', status: null, body: null, error: refusals[answer.reason] }
    case 'failed':
      if (answer.reason === 'ABORTED')
        return { outcome: 'returned', status: null, body: null, error: stoppedError }
      return { outcome: 'failed', ...classifyUnfinished(answer) }
  }
}

/**
 * Counts a 2xx whose body did not end within the time as a failure. A receiver that crashes while
 * it answers still sends its headers, and one attempt too many is better than a lost
 * event: its `id` tells the receiver.
 */
function classifyUnfinished({
  response,
  reason,
}: Extract<OutboundAnswer, { kind: 'failed' }>): Pick<Attempt, 'status' | 'body' | 'error'> {
  if (response === null) return { status: null, body: null, error: describeReason(reason) }
  const { status } = response
  const error =
    status >= 200 && status < 300 ? describeUnfinished(status, reason) : describeStatus(status)
  return { status, body: asText(response.body), error }
}

/**
 * Returns null unless the failure is an unfinished 2xx. `broken`: the connection ended before the
 * time did.
 */
export const kindOfUnfinished = (error: string): 'unfinished' | 'broken' | null =>
  /^answered 2\d\d, but /.test(error)
    ? error.endsWith(' (ETIMEDOUT)')
      ? 'unfinished'
      : 'broken'
    : null

const describeUnfinished = (status: number, reason: string): string =>
  reason === 'ETIMEDOUT'
    ? `answered ${status}, but the body did not end within ${callMs / 1000} seconds (${reason})`
    : `answered ${status}, but the connection failed before the body ended (${reason.slice(0, 200)})`

export const stoppedError = 'the worker stopped before the answer; it is sent again'

const describeStatus = (status: number): string =>
  status >= 300 && status < 400
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`

type Refusal = Extract<OutboundAnswer, { kind: 'refused' }>['reason']

export const refusals: Record<Refusal, string> = {
  scheme: 'not called: only https and http are',
  credentials: 'not called: the URL has a user or a password',
  address: 'not called: the host stands for an address that is not public',
  plain_http: 'not called: http goes to addresses that the operator allows only',
  port: 'not called: the port is not one of a website',
}

const reasons: Record<string, string> = {
  ETIMEDOUT: `no whole answer within ${callMs / 1000} seconds`,
  ENOTFOUND: 'the name of the host is unknown',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed before the answer',
  EPIPE: 'the connection was closed before the answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

const describeReason = (reason: string): string =>
  reasons[reason] ? `${reasons[reason]} (${reason})` : reason.slice(0, 200)

/** The answer may hold any bytes; PostgreSQL stores no NUL. */
const asText = (bytes: Buffer): string => bytes.toString().replaceAll('\0', '\uFFFD')
