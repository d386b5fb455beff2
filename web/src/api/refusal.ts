/**
 * A `Refusal` says that the service refused an operation, or that the page could not reach it
 * (`unreachable`).
 */

import type { OperationId } from '../../../src/contract/operations.ts'

interface Refused {
  /** The service refused this operation; absent where the page words the problem itself. */
  operation?: OperationId | undefined
  code: string
  /** 0: there was no answer. */
  status: number
  /** In the reader's language; empty where there was no answer. */
  message: string
  details: Record<string, unknown>
  /**
   * As of `Date.now()`: the service refuses the same call until then. Absent means the service
   * named no time.
   */
  notBefore?: number | undefined
}

export class Refusal extends Error {
  readonly operation: OperationId | undefined
  readonly code: string
  readonly status: number
  readonly details: Record<string, unknown>
  readonly notBefore: number | undefined

  constructor({ operation, code, status, message, details, notBefore }: Refused) {
    super(message)
    this.name = 'Refusal'
    this.operation = operation
    this.code = code
    this.status = status
    this.details = details
    this.notBefore = notBefore
  }
}

/** Reads the envelope of errors; another body (a proxy's page, say) is `unreachable` too. */
export async function readRefusal(operation: OperationId, answer: Response): Promise<Refusal> {
  const body: unknown = await answer.json().catch(() => null)
  const { error } = isEnvelope(body)
    ? body
    : { error: { code: 'unreachable', message: '', details: {} } }
  const known = { operation, status: answer.status, notBefore: readNotBefore(answer) }
  return new Refusal({ ...error, ...known, details: error.details ?? {} })
}

/**
 * `Retry-After` in seconds, the one of its two spellings that this service writes (RFC 9110
 * 10.2.3).
 */
function readNotBefore({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? '')
  return seconds > 0 ? Date.now() + seconds * 1_000 : undefined
}

/** Milliseconds until the time that the service named; 0 when it named none. */
export const waitMs = (error: unknown): number =>
  error instanceof Refusal && error.notBefore !== undefined
    ? Math.max(0, error.notBefore - Date.now())
    : 0

const isEnvelope = (body: unknown): body is { error: Omit<Refused, 'status' | 'operation'> } =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null

export const refusalCode = (error: unknown): string | null =>
  error instanceof Refusal ? error.code : null
