/** Defines the mailboxes and headers of a message as the ledger stores them. */

/** The stored mailboxes, headers and options of a message. */
export interface Head {
  from: HeadMailbox
  to: HeadMailbox[]
  cc: HeadMailbox[]
  bcc: HeadMailbox[]
  replyTo: HeadMailbox[]
  headers: [string, string][]
  /**
   * Fixed with the mail. Null means bounces go to the sender. Absent in our own notices: determined
   * at the hand-off.
   */
  returnPathHost?: string | null
  /**
   * Present: the text part is made from the HTML. Absent, as in older mails: the text part is
   * `text`.
   */
  textFromHtml?: true
  /**
   * Absent if neither opens nor clicks are tracked. `baseUrl`: of the links, on the customer's
   * host, fixed with the mail as a campaign's is. Absent means the installation's.
   */
  track?: { opens: boolean; clicks: boolean; baseUrl?: string }
  /**
   * Present: the mail gives its recipient access, so other members of the workspace may not read
   * the captured mail.
   */
  private?: true
  /** Present: what a notice of ours is for, by which the captured mails are sorted. */
  purpose?: NoticePurpose
  /** Present: a program wrote the mail itself, and handed it in by SMTP. */
  written?: WrittenHead
}

/** A test of a campaign, or a request to confirm an address. */
export type NoticePurpose = 'test' | 'confirmation'

/**
 * The content of the header of a mail that came whole, beside the mailboxes and headers. `to` and
 * `cc` hold every mailbox that the header names, also those outside the envelope.
 */
export interface WrittenHead {
  /**
   * The values of To and Cc, as they were written. Null if they are composed from the mailboxes,
   * where there are some.
   */
  to: string | null
  cc: string | null
  /** The value of Date. Null means the time of admission. */
  date: string | null
  /** The positions of files that are alternatives of the text, such as a calendar. */
  alternatives: number[]
  /** The names of headers that the rules dropped. */
  dropped: string[]
}

export interface HeadMailbox {
  name: string | null
  address: string
}

/** `headOf` made it, so it has this shape. */
export const readHead = (stored: unknown): Head => stored as Head
