/**
 * How long each class of data is stored. The operator sets limits for the installation; an owner
 * may shorten them for a workspace. Consent evidence is stored as long as its contact, suppressions
 * for ever.
 */

export interface RetentionClass {
  /** Days after which the data is deleted; null stores it for ever. */
  daysDefault: number | null
  /** Smallest limit in days that a setting may have. */
  daysMin: number
  /** The content of the class, for docs/retention.md. */
  holds: string
  /** The remainder after its data is deleted. */
  stays: string
}

/** In the order of the settings page. */
export const retentionClasses = {
  bodies: {
    daysDefault: 30,
    daysMin: 1,
    holds:
      'HTML, text, custom headers and attachments of single messages. The age counts from when the last recipient was finished: a scheduled mail, or one in retry, keeps them',
    stays: 'the line of the message',
  },
  captured: {
    daysDefault: 7,
    daysMin: 1,
    holds: 'Mail in the capture mailbox',
    stays: 'the line of the message',
  },
  delivery_details: {
    daysDefault: 395,
    daysMin: 31,
    holds:
      'Temporary refusals, reports, opens and clicks, each on its own; what was reported on domains by day; the recipients of a campaign with their status. The age of a campaign counts from when it was over',
    stays:
      'counts and statistics of campaigns, reputation, the statuses and times in the lines of messages',
  },
  raw_notices: {
    daysDefault: 30,
    daysMin: 1,
    holds: 'Bounces, complaints and reports as they arrived',
    stays: 'what was read from them',
  },
  events: {
    daysDefault: 30,
    daysMin: 1,
    holds: 'Events of webhooks and the journal of their deliveries',
    stays: 'nothing',
  },
  requests: { daysDefault: 7, daysMin: 1, holds: 'Calls of the API and of MCP', stays: 'nothing' },
  audit_log: {
    daysDefault: 730,
    daysMin: 30,
    holds: 'The acts of users, keys and the operator',
    stays: 'nothing',
  },
  messages: {
    daysDefault: null,
    daysMin: 31,
    holds: 'The line of each single message: sender, recipients, subject, statuses and times',
    stays: 'counts of days and months',
  },
} as const satisfies Record<string, RetentionClass>

export type RetentionClassName = keyof typeof retentionClasses

// The keys of the table above.
export const retentionClassNames = Object.keys(retentionClasses) as RetentionClassName[]

/** Largest limit in days that a setting may have: a hundred years. */
export const retentionDaysMax = 36_525
