/**
 * Defines every refusal of a call: its code, its status, its text in both languages (spec: Errors).
 */
import { texts, type Language, type Texts } from '../ground/texts/texts.ts'
import { caseText } from './error-cases.ts'
import { hintText, isHint } from './hints.ts'

export type { Language } from '../ground/texts/texts.ts'

/** Its status, and its text in both languages. */
const kind = <Status extends number>(status: Status, code: keyof Texts['errors']) => ({
  status,
  fr: texts.fr.errors[code],
  en: texts.en.errors[code],
})

/** The closed table of the API's codes. Programs rely on the code; the texts may change. */
export const apiErrorKinds = {
  missing_api_key: kind(401, 'missing_api_key'),
  invalid_api_key: kind(401, 'invalid_api_key'),
  revoked_api_key: kind(401, 'revoked_api_key'),
  insufficient_scope: kind(403, 'insufficient_scope'),
  reputation_blocked: kind(403, 'reputation_blocked'),
  quota_exceeded: kind(402, 'quota_exceeded'),
  not_found: kind(404, 'not_found'),
  conflict: kind(409, 'conflict'),
  idempotency_key_reused: kind(409, 'idempotency_key_reused'),
  validation_error: kind(422, 'validation_error'),
  unverified_from_domain: kind(422, 'unverified_from_domain'),
  suppressed_recipient: kind(422, 'suppressed_recipient'),
  rate_limit_exceeded: kind(429, 'rate_limit_exceeded'),
  send_failed: kind(502, 'send_failed'),
  internal_error: kind(500, 'internal_error'),
} as const

/** The code of the MCP endpoint, which accepts POST only (spec: MCP endpoint). */
const agentErrorKinds = { method_not_allowed: kind(405, 'method_not_allowed') } as const

/** The codes that only users meet, in a workspace's pages; no program with a key sees them. */
const userErrorKinds = {
  not_signed_in: kind(401, 'not_signed_in'),
  wrong_credentials: kind(401, 'wrong_credentials'),
  second_factor_required: kind(401, 'second_factor_required'),
  foreign_origin: kind(403, 'foreign_origin'),
  insufficient_role: kind(403, 'insufficient_role'),
  fresh_sign_in_required: kind(403, 'fresh_sign_in_required'),
  link_not_valid: kind(410, 'link_not_valid'),
} as const

export const errorKinds = { ...apiErrorKinds, ...agentErrorKinds, ...userErrorKinds }

export type ApiErrorCode = keyof typeof apiErrorKinds
export type ErrorCode = keyof typeof errorKinds
export type ErrorDetails = Record<string, unknown>

/**
 * A refusal that was expected. Anything else that is thrown is a bug and shown as `internal_error`.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** The facts that help to mend the problem. */
  readonly details: ErrorDetails
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfter: number | undefined
  /** That of its code; 503 where the service takes nothing in for a moment. */
  readonly status: number

  constructor(
    code: ErrorCode,
    details: ErrorDetails = {},
    retryAfter?: number,
    status: number = errorKinds[code].status,
  ) {
    super(errorKinds[code].en)
    this.name = 'ApiError'
    this.code = code
    this.details = details
    this.retryAfter = retryAfter
    this.status = status
  }
}

/** Returns the subject of a call; throws `not_found` with these details when there is none. */
export function existing<Subject>(
  subject: Subject | null | undefined,
  details?: ErrorDetails,
): Subject {
  if (subject === null || subject === undefined) throw new ApiError('not_found', details)
  return subject
}

/** The body of every error, readable by programs and humans (spec: Errors). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails }
  statusCode: number
  message: string
  name: ErrorCode
}

/**
 * Writes an error's body in the caller's language; `hint` in the details names a text of `hints`.
 */
export function errorBody(
  code: ErrorCode,
  errorDetails: ErrorDetails,
  language: Language,
  status: number = errorKinds[code].status,
): ErrorBody {
  const { [language]: text } = errorKinds[code]
  const hint = isHint(errorDetails['hint']) ? hintText(errorDetails['hint'], language) : null
  const sentence = caseText(code, errorDetails, language) ?? text
  const message = hint === null ? sentence : `${sentence} ${hint}`
  const details = hint === null ? errorDetails : { ...errorDetails, hint }
  return { error: { code, message, details }, statusCode: status, message, name: code }
}
