/**
 * The feedback about one recipient, from any source: the input of `recordFeedback` (semantics 3).
 */
import type { BounceClass } from '../contract/emails.ts'
import type { ProviderName } from '../ground/provider-names.ts'
import type { RecipientStatus } from '../contract/workspace/messages.ts'

/**
 * The recipient that the feedback is about. Sources derive it from our own tokens and identifiers,
 * never from a mail's body.
 */
export type FeedbackTarget =
  | { messageId: string; position: number }
  | { campaignId: string; subscriberId: string }

export interface Feedback {
  /**
   * The source, and the feedback's identifier there: each pair is stored once per workspace. At
   * most 200 characters.
   */
  source: 'dsn' | 'arf' | ProviderName
  sourceId: string
  target: FeedbackTarget
  /**
   * `delayed` (the mail host keeps trying) and `unread` (nobody knows what it says) are stored but
   * change no status.
   */
  kind: 'sent' | 'delivered' | 'delayed' | 'unread' | 'bounced' | 'complained' | 'failed'
  /**
   * The class of a bounce, if the source classified it; else it follows from `code` and `detail`
   * (mail/reports/classify-bounce.ts).
   * Only a hard bounce becomes `bounced` and suppresses; any other is `failed`.
   */
  bounce?: BounceClass
  /**
   * Enhanced status code (RFC 3463) such as `5.1.1`, or else the reply code; absent when the source
   * gives none.
   */
  code?: string | null
  /** The type of a complaint in the source's own word, such as `abuse` (RFC 5965 3.1). */
  complaint?: string | null
  /**
   * Of a complaint: whether a mailbox provider sent it, so that it counts towards the reputation;
   * any complaint suppresses. Absent if the provider of the mail says so on its own way.
   */
  isProven?: boolean
  /**
   * The reason in the source's words, shown as the recipient's `error`. Cut at 1,000 characters.
   */
  detail: string | null
  /**
   * The time of the event by the source's clock. Null means now. A time before the hand-off or in
   * the future is not believed.
   */
  at: Date | null
  /**
   * The whole notice, stored once for all of its feedback: its identifier at the source, and its
   * bytes. The first 64 KB are stored.
   */
  raw?: { id: string; bytes: Buffer }
}

/** Why feedback changed nothing and was not stored. */
export type Refused =
  /** This workspace has no such recipient. */
  | 'unknown'
  /** The hand-off to the recipient never started. */
  | 'not_begun'
  /** The mail left too long ago for feedback from this source (security: inbound mail). */
  | 'too_old'
  /** The same feedback was stored before. */
  | 'repeated'

/**
 * A recipient whose status changed, with the facts that suppression, reputation and events need.
 */
export interface ChangedRecipientStatus {
  target: FeedbackTarget
  /** The address in lower case, as it is compared. */
  email: string
  was: RecipientStatus
  status: RecipientStatus
  bounce: BounceClass | null
  code: string | null
  complaint: string | null
  error: string | null
}

export interface RecordedFeedback {
  changes: ChangedRecipientStatus[]
  /** Feedback that was not stored. Stored feedback that changed nothing is in neither list. */
  refused: { feedback: Feedback; why: Refused }[]
}
