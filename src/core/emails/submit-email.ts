/** Sends one mail that came whole, by SMTP: `POST /emails` by another way (semantics 7). */
import { hash } from 'node:crypto'
import type { Mailbox } from '../../ground/address.ts'
import { limits } from '../../contract/limits.ts'
import type { AdmissionUnit } from '../../db/sending/admissions.ts'
import type { SubmittedMail } from '../../mail/submission/read-submission.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { fingerprintOf, type EmailToSend } from '../sending/read-email.ts'
import { readMessageTags } from '../sending/read-message-tags.ts'
import type { Sent } from '../sending/replay.ts'
import { send } from '../sending/send.ts'

export interface Submission {
  mail: SubmittedMail
  /** Of the envelope: they alone receive the mail. */
  recipients: Mailbox[]
  /** SHA-256 of the mail's bytes, hexadecimal. */
  digest: string
}

/** Throws the refusals of `POST /emails`. */
export async function submitEmail(ctx: CallContext, submission: Submission): Promise<Sent> {
  const { mail, recipients } = submission
  if (recipients.length > limits.recipientsPerMessage)
    throw shapeError([
      {
        path: 'to',
        rule: 'recipients',
        limit: limits.recipientsPerMessage,
        found: recipients.length,
      },
    ])
  const email = readSubmitted(mail, recipients)
  return send(ctx, { emails: [email], idempotency: idempotencyOf(submission, email) })
}

function readSubmitted(mail: SubmittedMail, recipients: Mailbox[]): EmailToSend {
  const { to, cc, track, files } = { ...mail, track: mail.asks.track }
  const named = (mailboxes: Mailbox[]): Set<string> => new Set(mailboxes.map(({ key }) => key))
  const [inTo, inCc] = [named(to.mailboxes), named(cc.mailboxes)]
  return {
    from: mail.from,
    to: recipients.filter(({ key }) => inTo.has(key)),
    cc: recipients.filter(({ key }) => !inTo.has(key) && inCc.has(key)),
    // Nobody else sees whom no header names.
    bcc: recipients.filter(({ key }) => !inTo.has(key) && !inCc.has(key)),
    replyTo: mail.replyTo,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    // A program that wants a text part writes one.
    ...(mail.html !== null && mail.text === null && { leavesTextOff: true as const }),
    headers: mail.headers,
    tags: mail.asks.tags.length > 0 ? readMessageTags(mail.asks.tags, 'tags') : null,
    files: files.map(({ filename, contentType, contentId, content }) => ({
      ...{ filename, contentType, contentId },
      // A thread passes bytes on without their methods.
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
    scheduledAt: null,
    ...((track.opens || track.clicks) && { track }),
    written: {
      to: to.text,
      cc: cc.text,
      date: mail.date,
      alternatives: files.flatMap(({ isAlternative }, index) => (isAlternative ? [index] : [])),
      dropped: mail.dropped,
      shownTo: to.mailboxes,
      shownCc: cc.mailboxes,
      messageId: mail.messageId,
    },
  }
}

/**
 * Without a key of the program's, a mail that has a Message-ID stands for itself: a client that
 * lost the reply hands the same bytes in again. A program that has a key may compose its mail again,
 * with another Message-ID and Date.
 */
function idempotencyOf(
  { mail, recipients, digest }: Submission,
  email: EmailToSend,
): AdmissionUnit['idempotency'] {
  const { idempotencyKey: key } = mail.asks
  if (key !== null) {
    const written = email.written && { ...email.written, messageId: null, date: null }
    return {
      key,
      fingerprint: fingerprintOf([{ ...email, ...(written && { written }) }], 'single'),
    }
  }
  if (mail.messageId === null) return null
  const envelope = recipients.map(({ key: recipient }) => recipient).toSorted()
  const request = JSON.stringify(['smtp', mail.messageId, envelope, digest])
  const fingerprint = hash('sha256', request, 'buffer')
  return { key: `smtp:${fingerprint.toString('hex')}`, fingerprint }
}
