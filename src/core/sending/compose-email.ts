/** From what was admitted to the bytes that leave: the same for every recipient, every repeat and every process. */
import type { Mailbox } from '../../contract/address.ts'
import { limits } from '../../contract/limits.ts'
import type { AdmissionAttachment } from '../../db/admissions.ts'
import { composeMessage } from '../../mail/compose.ts'
import type { ComposedMessage } from '../../mail/compose.ts'
import { textOfHtml } from '../../mail/text-of-html.ts'
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

export function headOf(email: EmailToSend, returnPathHost: string | null): Head {
  return {
    from: short(email.from),
    to: email.to.map(short),
    cc: email.cc.map(short),
    bcc: email.bcc.map(short),
    replyTo: email.replyTo.map(short),
    headers: email.headers,
    returnPathHost,
    ...(email.html !== null && email.text === null && !email.leavesTextOff && { textFromHtml: true }),
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

/** With its text part, made from the html as the caller wrote it: before links of it are replaced. The same html gives the same text. */
export function withTextPart<Email extends Pick<AdmittedEmail, 'head' | 'html' | 'text'>>(email: Email): Email {
  if (!email.head.textFromHtml || email.html === null || email.text !== null) return email
  const text = textOfHtml(email.html)
  return text === null || text.length > limits.bodyMax ? email : { ...email, text }
}

/** The text part is there already, where it has one: `withTextPart` is asked once for all recipients. */
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
