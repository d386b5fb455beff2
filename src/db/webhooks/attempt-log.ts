/** The log of a delivery's attempts, as it lies in the database: when each began, what was sent, and what came back. */

/** What was written to the receiver, beyond what every call carries and the body. */
export interface SentRequest {
  url: string
  /** The headers `Service-Signature` and `webhook-signature`. */
  signature: string
  standard: string
}

export interface LoggedAttempt {
  attempt: number
  at: string
  status: number | null
  error: string | null
  duration_ms: number | null
  /** Absent: nothing was sent, or nobody kept it then. */
  sent?: SentRequest
  /** The beginning of the response. Absent: there was none, or the attempt succeeded before every response was kept. */
  answer?: string
}

/** Characters of each response that the log keeps. */
export const loggedResponseMax = 1_000

export interface AttemptToLog {
  attempt: number
  at: string
  status: number | null
  /** The beginning of the answer's body; null when nothing was answered. */
  body: string | null
  error: string | null
  durationMs: number
  /** Null when nothing was. */
  sent: SentRequest | null
}

/** A list of one, to be put behind the log; made here, because a busy database has more to do than to spell times. */
export function logLine({ attempt, at, status, body, error, durationMs, sent }: AttemptToLog): string {
  const line: LoggedAttempt = { attempt, at: new Date(at).toISOString(), status, error, duration_ms: durationMs }
  return JSON.stringify([{ ...line, ...(sent && { sent }), ...(body !== null && { answer: beginningOf(body) }) }])
}

/** Cut between characters: PostgreSQL refuses half of a surrogate pair in JSON. */
export const beginningOf = (response: string): string => Array.from(response).slice(0, loggedResponseMax).join('')
