/** The outcome of an attempt as the ledgers record it, and the rules that they apply to it. */
import type { BounceClass } from '../../contract/emails.ts'

/** The outcome of one attempt, in the ledger's words. */
export interface AttemptOutcome {
  event:
    | 'sent'
    /** Refused because the address does not exist: it is suppressed. */
    | 'bounced'
    /** Refused for good, for any other reason. */
    | 'failed'
    /** Refused for now. */
    | 'deferred'
    | 'in_doubt'
    /** Not begun: free again at once, and the attempt does not count. */
    | 'returned'
    /**
     * Not begun: free again after `waitSeconds`, within the queue's life, and the attempt does not
     * count.
     */
    | 'postponed'
    /** Our own code threw; at the third time the row is parked. */
    | 'threw'
  error: string | null
  response: string | null
  /** The bounce class of a refusal, also of a temporary one: it may be the last one. */
  bounce?: BounceClass | null
  /** For postponed rows. */
  waitSeconds?: number
  /** The capture mailbox's copy, and its pending feedback. */
  copy: { id: string; raw: Buffer; returnPath: string; pending: string } | null
}

export interface VerdictRules {
  retryFirstSeconds: number
  /**
   * Also how long a row that is not sent again waits for feedback before it is given up, within the
   * queue's life.
   */
  retryMaxSeconds: number
  /** How long a recipient is tried in all. */
  queueLifeSeconds: number
  /** Seconds after which the capture mailbox's feedback is due. */
  pendingSeconds: number
  /**
   * Types of events without a subscriber, which are not published
   * (core/events/change-and-publish.ts).
   */
  unsubscribedTypes?: readonly string[]
}
