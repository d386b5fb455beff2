/** POST /emails/batch: sends up to a hundred messages, all or none. */
import { send } from '../sending/send.ts'
import { checkSchedule } from './check-schedule.ts'
import { recordSentByUser } from './record-sent-by-user.ts'
import { shapeError } from '../input/shape-error.ts'
import { validateTextSize, readEmail, type EmailToSend } from '../sending/read-email.ts'
import { asEmail, readIdempotency, replayHeader } from './send-email.ts'
import type { Verb } from '../verb.ts'

export const sendEmailBatch: Verb<'sendEmailBatch'> = async (ctx, input) => {
  validateTextSize(input.body)
  const emails = input.body.map((request, index) => readEmail(request, `${index}.`))
  refuseLinks(emails)
  const call = {
    emails,
    idempotency: readIdempotency(input.headers['idempotency-key'], emails, 'batch'),
  }
  const scheduled = await checkSchedule(ctx, {
    ...call,
    pathOf: (index) => `${index}.scheduled_at`,
  })
  const sent = await send(ctx, { ...call, emails: scheduled })
  await recordSentByUser(ctx, { emails: scheduled, sent })
  const data = scheduled.map((email, index) => asEmail(email, sent, index))
  return { body: { data }, ...(sent.replayed ? replayHeader : {}) }
}

/** Files of a batch are not fetched: the limits of a call are those of one message. */
function refuseLinks(emails: EmailToSend[]): void {
  for (const [index, { links }] of emails.entries()) {
    const position = links?.[0]?.index
    if (position !== undefined)
      throw shapeError(
        [{ path: `${index}.attachments.${position}.path`, rule: 'not_supported' }],
        'batch_path',
      )
  }
}
