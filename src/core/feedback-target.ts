/** News of one recipient, from whatever source it comes: what `recordFeedback` is given (semantics 3). */
import type { BounceClass } from '../contract/emails.ts'
import type { RecipientStatus } from '../db/feedback/feedback.ts'

/** Whose news it is. Sources know it by what we signed or named ourselves, never by what a mail's body says. */
export type FeedbackTarget = { messageId: string; position: number } | { campaignId: string; subscriberId: string }

export interface Feedback {
  /** Where it came from, and its own identifier there: the pair is kept once in a workspace. At most 200 characters. */
  source: 'local-capture' | 'dsn' | 'arf' | 'amazon-ses'
  sourceId: string
  target: FeedbackTarget
  /** `delayed` is kept and moves nothing: whoever delivers goes on trying. */
  kind: 'sent' | 'delivered' | 'delayed' | 'bounced' | 'complained' | 'failed'
  /**
   * Of a bounce, where the source has judged it. Absent: judged here by `code` and `detail` (mail/reports/classify-bounce.ts). Only a
   * hard bounce becomes `bounced` and suppresses; any other is `failed`.
   */
  bounce?: BounceClass
  /** Enhanced status code (RFC 3463) such as `5.1.1`, or else the reply code; absent where the source tells none. */
  code?: string | null
  /** Of a complaint: the source's own word for it, such as `abuse` (RFC 5965 3.1). */
  complaint?: string | null
  /** Why, in the words of the source: shown as the recipient's `error`. Cut at 1,000 characters. */
  detail: string | null
  /** When it happened, by the source's clock; null: now. What lies before the hand-off or ahead of now is not believed. */
  at: Date | null
  /** The whole notice, kept once for all of its news: its identifier at the source, and its bytes, of which the first 64 KB are kept. */
  raw?: { id: string; bytes: Buffer }
}

/** Why news changed nothing and was not kept. */
export type Refused =
  /** No such recipient in this workspace. */
  | 'unknown'
  /** Its hand-off never started. */
  | 'not_begun'
  /** Older than a notice of its kind may be (security: inbound mail). */
  | 'too_old'
  /** Kept before. */
  | 'repeated'

/** A recipient that news moved, with what those must know who follow the move: suppression, reputation, events. */
export interface ChangedRecipientStatus {
  target: FeedbackTarget
  /** The address lower-cased, as it is compared. */
  email: string
  was: RecipientStatus
  status: RecipientStatus
  bounce: BounceClass | null
  code: string | null
  complaint: string | null
  error: string | null
}

export interface RecordedFeedback {
  moved: ChangedRecipientStatus[]
  /** What was not kept; news that was kept and moved nothing is in neither list. */
  refused: { news: Feedback; why: Refused }[]
}
