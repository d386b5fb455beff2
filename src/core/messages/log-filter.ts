/** What a page of the log is asked by, and what looking for it finds. */
import { emailStatuses } from '../../contract/emails.ts'
import type { EmailStatus } from '../../contract/emails.ts'
import type { LogPlace } from '../../db/messages/message-log.ts'
import type { MessageAsk, MessageNeedle } from '../message-index/message-text.ts'

export interface LogFilter {
  kind: 'single' | 'campaign' | null
  /** The texts as they were asked for. */
  ask: MessageAsk
  /** The same as the database looks for them; null where none were. */
  needle: MessageNeedle | null
}

/** Lines in the order of the log. */
export interface FoundInLog<Place extends LogPlace> {
  places: Place[]
  /** Null: nothing that passes is left out but for what did not fit; else up to where was looked. */
  reached: Place | null
}

/** Campaign mails know one more: `suppressed`, closed since their list was frozen. */
export const isMessageStatus = (status: string): status is EmailStatus => emailStatuses.some((known) => known === status)
