/**
 * Answers input that never became a request (no HTTP, unknown methods, headers too long or too
 * slow) with the API's error envelope.
 */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Call } from '../../core/dispatch/call.ts'
import type { AnswerPageRequest } from '../../core/dispatch/answer-page-request.ts'

/** Limit in bytes of the request line and the headers together; Node.js refuses longer ones. */
export const headerBytesMax = 16 * 1024

/**
 * Answers to a key or a session are for its holder alone: no cache stores them, and no browser
 * guesses their type (RFC 9111 5.2.2.5).
 */
export const uncached = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/**
 * Time for a caller to read the answer before the connection is cut: its further bytes could
 * destroy the answer otherwise.
 */
const lingerMs = 1_000

const answered = new WeakSet<Socket>()

export type RefuseUnread = ReturnType<typeof createRefuseUnread>

/** The refusal of input that never became a request; it never rejects. */
export const createRefuseUnread =
  (answerPage: AnswerPageRequest, { clock, log }: { clock: Clock; log: Log }) =>
  (socket: Socket, refusal: ApiError, headers: Call['headers']): void => {
    answerUnread({ answerPage, clock }, socket, refusal, headers).catch((error: unknown) => {
      log.error({ err: error }, 'A refusal could not be written')
      socket.destroy()
    })
  }

/**
 * Writes the refusal and closes the connection, because the start of the next request in it is
 * unknown. `headers`: the readable ones.
 */
async function answerUnread(
  { answerPage, clock }: { answerPage: AnswerPageRequest; clock: Clock },
  socket: Socket,
  refusal: ApiError,
  headers: Call['headers'],
): Promise<void> {
  // The parser reports an error for every further piece.
  if (answered.has(socket)) return
  answered.add(socket)
  socket.on('error', () => socket.destroy())
  const requestId = randomUUID()
  const pageRequest = { address: socket.remoteAddress ?? '', requestId, headers }
  const {
    status,
    headers: sentHeaders,
    body,
  } = await answerPage(pageRequest, () => {
    throw refusal
  })
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...uncached,
    ...sentHeaders,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'))
  await clock.sleep(lingerMs)
  socket.destroy()
}

/** Reads the one header that a refusal needs from the last bytes. */
export function readAcceptLanguage(octets: unknown): { 'accept-language'?: string } {
  const language = Buffer.isBuffer(octets)
    ? /^accept-language:(.*)$/im.exec(octets.toString('latin1'))?.[1]
    : undefined
  return language === undefined ? {} : { 'accept-language': language.trim() }
}

/**
 * By the code of Node's error. A method that HTTP does not know is one that no operation has
 * (semantics 4).
 */
export function refusalOf(code: string): ApiError {
  if (code === 'HPE_INVALID_METHOD') return new ApiError('not_found', { reason: 'unknown_method' })
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('validation_error', {
      path: '',
      rule: 'header_bytes',
      limit: headerBytesMax,
    })
  return new ApiError('validation_error', {
    path: '',
    rule: code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_time' : 'http',
  })
}
