/**
 * Feedback reports (RFC 5965): what a mailbox provider sends when a recipient complains. The
 * address that it came to names the mail.
 */
import { readDsnFields } from './dsn.ts'

/**
 * `complaint`: the recipient takes it for abuse. `opt-out`: wants no more of it. `other`: anything
 * else, such as "this is no spam".
 */
export interface FeedbackReport {
  meaning: 'complaint' | 'opt-out' | 'other'
  /** The word of the report itself, lower case, of 40 characters at most. */
  type: string
}

/** Reads the part `message/feedback-report`; null when it has no type (RFC 5965 3.1: it must). */
export function readFeedbackReport(text: string): FeedbackReport | null {
  const type = /^[\w.-]{1,40}/
    .exec(readDsnFields(text).get('feedback-type') ?? '')?.[0]
    .toLowerCase()
  return type === undefined ? null : { meaning: meanings[type] ?? 'other', type }
}

/**
 * RFC 5965 7.3 and the registry of feedback types. `not-spam` and `auth-failure` (RFC 6591) are not
 * complaints.
 */
const meanings: Record<string, FeedbackReport['meaning']> = {
  abuse: 'complaint',
  fraud: 'complaint',
  'opt-out': 'opt-out',
  'opt-out-list': 'opt-out',
}
