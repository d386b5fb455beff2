/**
 * The stored log of a webhook delivery's attempts: when each began, what was sent, and the
 * response.
 */

/** The parts of the request that are specific to this attempt, without the body. */
export interface SentRequest {
  url: string
  /** The headers `Service-Signature` and `webhook-signature`, which is `svix-signature` too. */
  signature: string
  standard: string
}

export interface LoggedAttempt {
  attempt: number
  at: string
  status: number | null
  error: string | null
  duration_ms: number | null
  /** Absent if nothing was sent, or the request was not stored then. */
  sent?: SentRequest
  /**
   * The beginning of the response. Absent if there was none, or the attempt succeeded before all
   * responses were stored.
   */
  answer?: string
}

/** Characters of each response that the log stores. */
export const loggedResponseMax = 1_000

export interface AttemptToLog {
  attempt: number
  at: string
  status: number | null
  /** The beginning of the response's body; null without a response. */
  body: string | null
  error: string | null
  durationMs: number
  /** Null when nothing was sent. */
  sent: SentRequest | null
}

/**
 * A list of one line, to be appended to the log. It is formatted here to spare the database the
 * work.
 */
export function logLine({
  attempt,
  at,
  status,
  body,
  error,
  durationMs,
  sent,
}: AttemptToLog): string {
  const line: LoggedAttempt = {
    attempt,
    at: new Date(at).toISOString(),
    status,
    error,
    duration_ms: durationMs,
  }
  return JSON.stringify([
    { ...line, ...(sent && { sent }), ...(body !== null && { answer: beginningOf(body) }) },
  ])
}

/** Cut between characters: PostgreSQL refuses half of a surrogate pair in JSON. */
export const beginningOf = (response: string): string =>
  Array.from(response).slice(0, loggedResponseMax).join('')
