/** A refusal by the service, as programs read it. */
import type { ErrorCode } from './schemas.ts'

/**
 * Logic reads `code`; `message` is for people, in the language of the client, and may be rephrased.
 */
export class FacteurError extends Error {
  override readonly name = 'FacteurError'
  /** The HTTP status. */
  readonly status: number
  readonly code: ErrorCode
  /** The values that a program needs to fix the problem. */
  readonly details: Record<string, unknown>
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** Seconds after which the same call may pass. */
  readonly retryAfter: number | undefined

  constructor(fields: Omit<FacteurError, 'name' | 'cause' | 'stack'>) {
    super(fields.message)
    this.status = fields.status
    this.code = fields.code
    this.details = fields.details
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
  }
}

/**
 * Reads a refusal; what is not the service's own answer (a proxy's page) is an `internal_error`
 * with its status.
 */
export function readRefusal(answer: Response, text: string): FacteurError {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const common = {
    status: answer.status,
    requestId: answer.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  }
  const error = errorOf(text)
  if (error) return new FacteurError({ ...common, ...error })
  const message = `${answer.status} ${answer.statusText}`.trim()
  return new FacteurError({
    ...common,
    code: 'internal_error',
    message,
    details: { body: text.slice(0, 500) },
  })
}

type ErrorPart = Pick<FacteurError, 'code' | 'message' | 'details'>

function errorOf(text: string): ErrorPart | null {
  try {
    const { error }: { error?: Partial<ErrorPart> } = JSON.parse(text)
    if (!error || typeof error.code !== 'string') return null
    return { code: error.code, message: error.message ?? error.code, details: error.details ?? {} }
  } catch {
    return null
  }
}
