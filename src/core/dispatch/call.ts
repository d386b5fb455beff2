/**
 * Defines what passes through the dispatcher: a call from an entry point and its answer, with the
 * commonest refusals and the language.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { UnknownAddress } from '../../contract/describe-unknown.ts'
import { ApiError, type ErrorCode, type Language } from '../../contract/errors.ts'
import type { OutgoingFile } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { CallContext, ReserveMemory } from '../context.ts'
import type { RawInput } from '../input/validate-shape.ts'
import type { CountedRequest, Rate } from './count-request.ts'
import {
  memberLanguages,
  recipientLanguages,
  type RecipientLanguage,
} from '../../ground/texts/languages.ts'

export interface Call {
  /** Null if no operation has this address. */
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
  reserveMemory?: ReserveMemory
  /** Aborted when the caller has closed the connection; for calls that wait. */
  left?: () => AbortSignal
  /** It came by MCP, as a tool. */
  mcp?: boolean
  /**
   * Performs the operation on an input that the entry point read itself, in place of its verb and
   * its shape.
   */
  perform?: (ctx: CallContext) => Promise<{ body: unknown }>
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

/**
 * Chooses a member's language by the first that the caller names, else by the operator's setting
 * (RFC 9110 12.5.4).
 */
export const chooseLanguage = (accepted: string | undefined, fallback: Language): Language =>
  firstAccepted(accepted, memberLanguages) ?? fallback

/** As `chooseLanguage`, among the languages of recipients. */
export const chooseRecipientLanguage = (
  accepted: string | undefined,
  fallback: RecipientLanguage,
): RecipientLanguage => firstAccepted(accepted, recipientLanguages) ?? fallback

function firstAccepted<Known extends string>(
  accepted: string | undefined,
  known: readonly Known[],
): Known | undefined {
  const wishes = (accepted ?? '').split(',').map((entry) => {
    const [range = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const quality = parameters
      .map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1])
      .find((q) => q !== undefined)
    return { language: range.split('-')[0], quality: quality === undefined ? 1 : Number(quality) }
  })
  return wishes
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .flatMap(({ language }) => known.find((each) => each === language) ?? [])[0]
}
