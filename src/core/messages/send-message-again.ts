/**
 * POST /messages/{id}/send-again: sends the content and files of a message as a new message, with
 * the checks of any send.
 */
import { parseMailbox, type Mailbox } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import { shapeError } from '../input/shape-error.ts'
import { fingerprintOf, type EmailToSend } from '../sending/read-email.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { send } from '../sending/send.ts'
import { admittedEmail } from './compose-message.ts'
import { findMessage, refuseExpiredContent } from './find-message.ts'
import type { HeadMailbox } from '../presentation/message-head.ts'
import type { Verb } from '../verb.ts'

/**
 * A campaign's mail is sent again only by its campaign, which counts it. A message of an erased
 * contact has no content left.
 */
export const sendMessageAgain: Verb<'sendMessageAgain'> = async (ctx, { params, body }) => {
  const message = await findMessage(ctx, params.id)
  if (message.kind === 'campaign' || message.row.subject === '')
    throw new ApiError('not_found', { id: params.id })
  await refuseExpiredContent(ctx, { match: message, id: params.id })
  const { head, subject, html, text, attachments } = await admittedEmail(ctx, message.row)
  const to = body.to.map((address, index) => read(address, `to.${index}`))
  const { written } = head
  const email: EmailToSend = {
    from: again(head.from, 'from'),
    to,
    ...{
      cc: [],
      bcc: [],
      replyTo: head.replyTo.map((mailbox) => again(mailbox, 'replyTo')),
      headers: head.headers,
    },
    ...{
      subject,
      html,
      text,
      ...(html !== null && text === null && !head.textFromHtml && { leavesTextOff: true as const }),
      tags: message.row.tags,
      files: attachments,
      scheduledAt: null,
      ...(head.track && { track: head.track }),
      // A calendar beside the text stays there; all else that was written is of the first mail.
      ...(written && {
        written: { ...written, ...newlyWritten, shownTo: to },
      }),
    },
  }
  const idempotency = { key: body.idempotency_key, fingerprint: fingerprintOf([email], 'single') }
  const { ids, replayed } = await send(ctx, { emails: [email], idempotency })
  const [id = ''] = ids
  // The message itself is the evidence; the audit entry names the user.
  if (!replayed) {
    const details = { message: message.row.id, again: id, recipients: body.to.length }
    await ctx.db.transaction((tx) =>
      recordAuditEntry(tx, ctx, { act: 'message.sent_again', subject, details }),
    )
  }
  return { body: { object: 'message', id } }
}

const newlyWritten = { to: null, cc: null, date: null, messageId: null, shownCc: [] }

/** Parses the stored address again, like a caller's. */
const again = ({ name, address }: HeadMailbox, path: string): Mailbox => ({
  ...read(address, path),
  name,
})

function read(text: string, path: string): Mailbox {
  const mailbox = parseMailbox(text)
  if ('rule' in mailbox) throw shapeError([{ ...mailbox, path, rule: `address.${mailbox.rule}` }])
  return mailbox
}
