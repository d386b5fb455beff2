/** What the service refused, or that it could not be reached (`unreachable`). */

interface Refused {
  code: string
  /** 0: there was no answer. */
  status: number
  /** In the reader's language; empty where there was no answer. */
  message: string
  details: Record<string, unknown>
}

export class Refusal extends Error {
  readonly code: string
  readonly status: number
  readonly details: Record<string, unknown>

  constructor({ code, status, message, details }: Refused) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = status
    this.details = details
  }
}

/** Reads the envelope of errors; what is none (a proxy's page, say) is `unreachable` too. */
export async function readRefusal(answer: Response): Promise<Refusal> {
  const body: unknown = await answer.json().catch(() => null)
  const { error } = isEnvelope(body) ? body : { error: { code: 'unreachable', message: '', details: {} } }
  return new Refusal({ ...error, details: error.details ?? {}, status: answer.status })
}

const isEnvelope = (body: unknown): body is { error: Omit<Refused, 'status'> } =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object' && body.error !== null

export const refusalCode = (error: unknown): string | null => (error instanceof Refusal ? error.code : null)
