/** Turns an error of a call into its answer: status, code, headers and one sentence. */
import { ApiError, errorBody } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { passesLater } from '../../database/client/database-errors.ts'
import type { Context } from '../context.ts'
import { refusalByChange } from '../databases.ts'
import { chooseLanguage, type Answer, type Call } from './call.ts'
import { addRateHeaders } from './identify.ts'
import type { Rate } from './count-request.ts'

/** Anything but an expected refusal is a failure, and logged. */
export function refuse(
  ctx: Context,
  call: Pick<Call, 'operation' | 'requestId' | 'headers'>,
  error: unknown,
  answer: Answer,
): void {
  const expected = error instanceof ApiError ? error : refusalOf(error)
  if (expected !== error)
    ctx.log.error(
      { err: error, requestId: call.requestId, operation: call.operation },
      'A call failed',
    )
  answer.code = expected.code
  answer.status = expected.status
  if (!answer.headers['X-RateLimit-Limit']) addRateHeaders(answer, uncounted(ctx))
  if (expected.retryAfter !== undefined) answer.headers['Retry-After'] = String(expected.retryAfter)
  const { reason, allowed } = expected.details
  // RFC 9110 10.2.1: `Allow` lists the methods of the address.
  if (reason === 'method' && Array.isArray(allowed)) answer.headers['Allow'] = allowed.join(', ')
  const challenge = challengeFor(expected)
  if (challenge !== null) answer.headers['WWW-Authenticate'] = challenge
  const language = chooseLanguage(call.headers['accept-language'], ctx.settings.language)
  answer.body = errorBody(expected.code, expected.details, language, expected.status)
}

/**
 * Says how to authenticate: a 401 has at least one challenge (RFC 9110 11.6.1).
 * `Bearer` names an error when the call had a key, and the missing permission (RFC 6750 3 and 3.1).
 * The scheme for browsers has a name that no browser acts on.
 */
function challengeFor({ code, details }: ApiError): string | null {
  switch (code) {
    case 'missing_api_key':
      return bearer
    case 'invalid_api_key':
    case 'revoked_api_key': {
      const why =
        code === 'invalid_api_key'
          ? 'unknown'
          : details['reason'] === 'expired'
            ? 'expired'
            : 'revoked'
      return `${bearer}, error="invalid_token", error_description="The API key is ${why}"`
    }
    case 'insufficient_scope':
      return `${bearer}, error="insufficient_scope", scope="${String(details['required'])}"`
    case 'not_signed_in':
    case 'wrong_credentials':
    case 'second_factor_required':
      return 'Cookie realm="Facteur"'
    default:
      return null
  }
}

const bearer = 'Bearer realm="Facteur"'

function refusalOf(error: unknown): ApiError {
  const retryAfter = retryAfterOf(error)
  const status = retryAfter === undefined ? undefined : 503
  return refusalByChange(error) ?? new ApiError('internal_error', {}, retryAfter, status)
}

/**
 * Seconds after which a call may succeed that the database kept from passing. Undefined if the
 * failure had another cause.
 */
export const retryAfterOf = (error: unknown): number | undefined =>
  passesLater(error) ? 5 : undefined

/**
 * The rate shown when the database could not count: no request passes now (spec: Rate headers, on
 * every response).
 */
const uncounted = (ctx: Context): Rate => {
  const resetAt = Math.ceil(ctx.clock.now().getTime() / 1000) + 1
  return { passes: false, limit: limits.requestsPerMinute, remaining: 0, resetAt, retryAfter: 1 }
}
