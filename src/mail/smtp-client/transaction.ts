/** One envelope that the client hands over, answered exactly once. */
import type { SmtpEnvelope, SmtpLease, SmtpOutcome } from './outcome.ts'

export class Transaction {
  readonly envelope: SmtpEnvelope
  readonly lease: SmtpLease
  /** When it came, on the monotonic clock. */
  readonly since: number
  settled = false
  /**
   * A connection closed during it before any answer; the next connection is new, and the last try.
   */
  again = false
  readonly #answer: (outcome: SmtpOutcome) => void

  constructor(parts: {
    envelope: SmtpEnvelope
    lease: SmtpLease
    since: number
    answer: (outcome: SmtpOutcome) => void
  }) {
    this.envelope = parts.envelope
    this.lease = parts.lease
    this.since = parts.since
    this.#answer = parts.answer
  }

  complete(outcome: SmtpOutcome): void {
    if (this.settled) return
    this.settled = true
    this.#answer(outcome)
  }
}
