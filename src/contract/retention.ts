/**
 * How long each class of data is stored. The operator sets limits for the installation; an owner may shorten them for a
 * workspace. Consent evidence is stored as long as its contact, suppressions for ever.
 */

export interface RetentionClass {
  /** Days after which the data is deleted; null stores it for ever. */
  daysDefault: number | null
  /** Smallest limit in days that a setting may have. */
  daysMin: number
}

/** In the order of the settings page. */
export const retentionClasses = {
  /** Texts, free headers and attachments of messages. */
  bodies: { daysDefault: 30, daysMin: 1 },
  /** Mail in the capture mailbox. */
  captured: { daysDefault: 7, daysMin: 1 },
  /** Attempts, temporary refusals, reports, opens and clicks; the recipients of a campaign, each with its status. */
  delivery_details: { daysDefault: 395, daysMin: 31 },
  /** Bounces, complaints and reports as they arrived. */
  raw_notices: { daysDefault: 30, daysMin: 1 },
  /** Events of webhooks and the journal of their deliveries. */
  events: { daysDefault: 30, daysMin: 1 },
  /** Calls of the API and of MCP. */
  requests: { daysDefault: 7, daysMin: 1 },
  audit_log: { daysDefault: 730, daysMin: 30 },
  /** What stays of a message: sender, recipients, subject, statuses and times. */
  messages: { daysDefault: null, daysMin: 31 },
} as const satisfies Record<string, RetentionClass>

export type RetentionClassName = keyof typeof retentionClasses

// The keys of the table above.
export const retentionClassNames = Object.keys(retentionClasses) as RetentionClassName[]

/** Largest limit in days that a setting may have: a hundred years. */
export const retentionDaysMax = 36_525
