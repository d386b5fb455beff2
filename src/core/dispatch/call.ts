/**
 * Defines what passes through the dispatcher: a call from an entry point, its answer, and the rate
 * headers of every answer.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { UnknownAddress } from '../../contract/describe-unknown.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { rateWindowSeconds } from '../../contract/limits.ts'
import type { OutgoingFile } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { RawInput } from '../input/validate-shape.ts'
import type { CountedRequest, Rate } from './prefetched-quota.ts'

export interface Call {
  /** Null: no operation has this address. */
  operation: OperationId | null
  /** Describes the requested address when no operation has it. */
  unknown?: () => UnknownAddress
  /** The raw parameters by where they came; the body is read later. */
  input: Omit<RawInput, 'body'>
  /** By lower-case names, repeated ones joined as node:http does. */
  headers: IncomingHttpHeaders
  /**
   * Reads and parses the body at its step; `from`: the caller has neither key nor session. Throws
   * ApiError when it is not JSON, CallerLeft when the connection breaks off.
   */
  readBody: (bytesMax: number, from?: 'stranger') => Promise<unknown>
  /**
   * The body as a stream, for operations that take a file; absent at entry points without such
   * operations.
   */
  readFile?: (bytesMax: number) => AsyncIterable<Buffer>
  /** It came by MCP, as a tool. */
  mcp?: boolean
  /** The address that the call came from. */
  address: string
  requestId: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** Present: it is sent instead of the body. */
  file?: OutgoingFile
  /** Null after success; for logs and metrics. */
  code: ErrorCode | null
  workspaceId: number | null
  /** The key of the workspace, also one that is revoked or has expired; null for any other call. */
  keyId: string | null
}

/**
 * The caller, when an entry point had to identify them before it knew the operation: counted, and
 * not authorized yet.
 */
export interface KnownCaller {
  workspaceId: number
  counted: CountedRequest
}

/** An answer before anything is known. */
export const newAnswer = (): Answer => ({
  status: 500,
  headers: {},
  body: null,
  code: null,
  workspaceId: null,
  keyId: null,
})

/**
 * Sets the rate headers of an answer:
 * - the specified ones (`X-RateLimit-Reset` is a time)
 * - the names that common SDKs read (`ratelimit-reset` is a delay)
 * - the fields of draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4: the policy, and what
 *   is left under it
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

/**
 * The refusal of a call to an unknown address. It says so, since `not_found` otherwise means a
 * missing object.
 */
export const noSuchAddress = ({ unknown }: Pick<Call, 'unknown'>): ApiError =>
  new ApiError('not_found', { ...unknown?.() })

/** Throws `rate_limit_exceeded`. */
export function refuseOverRate({ counted: { rate } }: KnownCaller): void {
  if (!rate.passes) throw rateExceeded(rate)
}

export const rateExceeded = (rate: Rate): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    { limit: rate.limit, retry_after: rate.retryAfter },
    rate.retryAfter,
  )
