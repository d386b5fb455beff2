/** From what was admitted to the bytes that leave: the same for every recipient, every repeat and every process. */
import type { Mailbox } from '../../contract/address.ts'
import type { AdmissionAttachment } from '../../db/admissions.ts'
import { composeMessage } from '../../mail/compose.ts'
import type { ComposedMessage } from '../../mail/compose.ts'
import type { EmailToSend } from '../emails/read-email.ts'

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
  /** Absent: neither opens nor clicks are told of. */
  track?: { opens: boolean; clicks: boolean }
  /** Present: it lets its recipient in, so that nobody else of the workspace may read it where it is captured. */
  private?: true
}

export interface HeadMailbox {
  name: string | null
  address: string
}

export function headOf(email: EmailToSend, returnPathHost: string | null): Head {
  return {
    from: short(email.from),
    to: email.to.map(short),
    cc: email.cc.map(short),
    bcc: email.bcc.map(short),
    replyTo: email.replyTo.map(short),
    headers: email.headers,
    returnPathHost,
    ...(email.track && { track: email.track }),
  }
}

/** We wrote it (`headOf`), so it has this shape. */
export const readHead = (stored: unknown): Head => stored as Head

const short = ({ name, address }: Mailbox): HeadMailbox => ({ name, address })

/** All that a message's bytes are made of, as it was admitted. */
export interface AdmittedEmail {
  id: string
  head: Head
  subject: string
  messageIdHeader: string
  createdAt: Date
  html: string | null
  text: string | null
  attachments: AdmissionAttachment[]
}

export function composeEmail(email: AdmittedEmail): ComposedMessage {
  return composeMessage({
    messageId: email.messageIdHeader,
    date: email.createdAt,
    boundary: email.id,
    from: email.head.from,
    to: email.head.to,
    cc: email.head.cc,
    replyTo: email.head.replyTo,
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.head.headers,
    attachments: email.attachments,
  })
}
