/** What goes through the dispatcher: a call as a door hands it in, its answer, and what every answer shows of the rate. */
import type { IncomingHttpHeaders } from 'node:http'
import type { UnknownAddress } from '../../contract/describe-unknown.ts'
import { ApiError } from '../../contract/errors.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { rateWindowSeconds } from '../../contract/limits.ts'
import type { OutgoingFile } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { RawInput } from '../input/validate-shape.ts'
import type { CountedRequest, Rate } from './prefetched-quota.ts'

/** One call as a door hands it in. */
export interface Call {
  /** Null: no operation lives at this address. */
  operation: OperationId | null
  /** What was asked for instead, where no operation answers. */
  unknown?: () => UnknownAddress
  /** Where each parameter is looked for; the body is read when its turn comes. */
  input: Omit<RawInput, 'body'>
  /** By lower-case names, repeated ones joined as node:http does. */
  headers: IncomingHttpHeaders
  /** Reads and parses the body, when its turn comes; throws ApiError for what is not JSON, CallerLeft when it breaks off. */
  readBody: (bytesMax: number) => Promise<unknown>
  /** The body as it comes, for operations that take a file; absent at doors that have none of them. */
  readFile?: (bytesMax: number) => AsyncIterable<Buffer>
  /** Where the call came from. */
  address: string
  requestId: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** Present: it goes out in place of the body. */
  file?: OutgoingFile
  /** Null after success: for logs and metrics. */
  code: ErrorCode | null
  workspaceId: number | null
}

/** Whose call it is, where a door had to know before it could tell which operation is meant: counted, and not yet judged. */
export interface KnownCaller {
  workspaceId: number
  counted: CountedRequest
}

/** Nothing is answered yet. */
export const newAnswer = (): Answer => ({ status: 500, headers: {}, body: null, code: null, workspaceId: null })

/**
 * Sets the specified headers (`X-RateLimit-Reset` is a time), the names that SDKs of the field read (`ratelimit-reset` is a delay),
 * and the fields of draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4: the policy, and what is left under it.
 */
export function addRateHeaders(answer: Answer, rate: Rate): void {
  const [limit, remaining, seconds] = [rate.limit, rate.remaining, rate.retryAfter].map(String)
  Object.assign(answer.headers, {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': String(rate.resetAt),
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': seconds,
    'RateLimit-Policy': `"minute";q=${limit};w=${rateWindowSeconds}`,
    RateLimit: `"minute";r=${remaining};t=${seconds}`,
  })
}

/** The refusal of a call that no operation answers: it says that the address is missing, where `not_found` else means an object. */
export const noSuchAddress = ({ unknown }: Pick<Call, 'unknown'>): ApiError => new ApiError('not_found', { ...unknown?.() })

/** Throws `rate_limit_exceeded`. */
export function refuseOverRate({ counted: { rate } }: KnownCaller): void {
  if (!rate.passes) throw rateExceeded(rate)
}

export const rateExceeded = (rate: Rate): ApiError =>
  new ApiError('rate_limit_exceeded', { limit: rate.limit, retry_after: rate.retryAfter }, rate.retryAfter)
