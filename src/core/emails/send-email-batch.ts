/** POST /emails/batch: up to a hundred messages, all or none. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { send } from '../sending/send.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { readEmail } from './read-email.ts'
import type { EmailToSend } from './read-email.ts'
import { refusePast } from './refuse-past.ts'
import { asEmail, readIdempotency, replayHeader } from './send-email.ts'

export async function sendEmailBatch(ctx: CallContext, input: InputOf<'sendEmailBatch'>): Promise<AnswerOf<'sendEmailBatch'>> {
  const now = ctx.clock.now()
  const emails = input.body.map((request, index) => readEmail(request, now, `${index}.`))
  judgeSize(emails)
  const call = { emails, idempotency: readIdempotency(input.headers['idempotency-key'], emails, 'batch') }
  await refusePast(ctx, { ...call, pathOf: (index) => `${index}.scheduled_at` })
  const sent = await send(ctx, call)
  const data = emails.map((email, index) => asEmail(email, sent.ids[index] ?? '', sent.createdAt))
  return { body: { data }, ...(sent.replayed ? replayHeader : {}) }
}

/** The room for attachments is not for texts: they are written in one statement, in the database's memory (security: JSON). */
function judgeSize(emails: EmailToSend[]): void {
  const bytes = emails.reduce((sum, { html, text }) => sum + Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? ''), 0)
  if (bytes > limits.emailTextBytes) throw shapeError([{ path: '', rule: 'text_bytes', limit: limits.emailTextBytes }])
}
