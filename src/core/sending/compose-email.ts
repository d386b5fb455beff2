/**
 * Composes the bytes of a single message from its admitted parts: the same for every recipient,
 * every retry and every process.
 */
import { limits } from '../../contract/limits.ts'
import type { AdmissionAttachment } from '../../db/sending/admissions.ts'
import type { MessageContent } from '../../db/sending/claims.ts'
import { composeMessage, type ComposedMessage } from '../../mail/mime/compose.ts'
import { textOfHtml } from '../../mail/html/text-of-html.ts'
import type { Head } from '../presentation/message-head.ts'

/** Everything that determines a message's bytes, as it was admitted. */
export interface AdmittedEmail extends Omit<
  MessageContent,
  'messageId' | 'head' | 'attachments' | 'size'
> {
  id: string
  head: Head
  attachments: AdmissionAttachment[]
}

/**
 * Adds a text part made from the caller's HTML, before tracking replaces its links. The same HTML
 * gives the same text.
 */
export function withTextPart<Email extends Pick<AdmittedEmail, 'head' | 'html' | 'text'>>(
  email: Email,
): Email {
  if (!email.head.textFromHtml || email.html === null || email.text !== null) return email
  const text = textOfHtml(email.html)
  return text === null || text.length > limits.bodyMax ? email : { ...email, text }
}

/** Expects that `withTextPart` has already added the text part, once for all recipients. */
export function composeEmail(email: AdmittedEmail): ComposedMessage {
  const { written } = email.head
  return composeMessage({
    messageId: email.messageIdHeader,
    date: written?.date ?? email.createdAt,
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
    ...(written && { written }),
  })
}
