/** The mailboxes and headers of a message as the ledger stores them. */

/** What the ledger keeps of a message's mailboxes and headers. */
export interface Head {
  from: HeadMailbox
  to: HeadMailbox[]
  cc: HeadMailbox[]
  bcc: HeadMailbox[]
  replyTo: HeadMailbox[]
  headers: [string, string][]
  /** Fixed with the mail; null: bounces go to the sender. Absent, as in notices of ours: found at the hand-off. */
  returnPathHost?: string | null
  /** Present: the text part is made from the html. Absent, as in mails that were admitted before there were any: it is what `text` says. */
  textFromHtml?: true
  /** Absent: neither opens nor clicks are told of. */
  track?: { opens: boolean; clicks: boolean }
  /** Present: it lets its recipient in, so that nobody else of the workspace may read it where it is captured. */
  private?: true
}

export interface HeadMailbox {
  name: string | null
  address: string
}

/** We wrote it (`headOf`), so it has this shape. */
export const readHead = (stored: unknown): Head => stored as Head
