/** Defines the filter of a page of the log, and the result of its search. */
import { emailStatuses, type EmailStatus } from '../../contract/emails.ts'
import type { LogPosition } from '../../db/messages/message-log.ts'
import type { MessageAsk, MessageNeedle } from '../message-index/message-text.ts'

export interface LogFilter {
  kind: 'single' | 'campaign' | null
  /** The texts as the caller gave them. */
  ask: MessageAsk
  /** The same texts for the database; null for an empty search. */
  needle: MessageNeedle | null
}

/** Lines in the order of the log. */
export interface FoundInLog<Place extends LogPosition> {
  places: Place[]
  /**
   * Null if everything that matches was found, except what did not fit; else the position up to
   * which the search came.
   */
  reached: Place | null
}

/** Campaign mails have one more status: `suppressed`, for addresses suppressed after the freeze. */
export const isMessageStatus = (status: string): status is EmailStatus =>
  emailStatuses.some((known) => known === status)
