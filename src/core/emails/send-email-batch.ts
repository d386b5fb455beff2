/** POST /emails/batch: sends up to a hundred messages, all or none. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { send } from '../sending/send.ts'
import { checkSchedule } from './check-schedule.ts'
import { validateTextSize, readEmail } from '../sending/read-email.ts'
import { asEmail, readIdempotency, replayHeader } from './send-email.ts'

export async function sendEmailBatch(ctx: CallContext, input: InputOf<'sendEmailBatch'>): Promise<AnswerOf<'sendEmailBatch'>> {
  validateTextSize(input.body)
  const emails = input.body.map((request, index) => readEmail(request, `${index}.`))
  const call = { emails, idempotency: readIdempotency(input.headers['idempotency-key'], emails, 'batch') }
  await checkSchedule(ctx, { ...call, pathOf: (index) => `${index}.scheduled_at` })
  const sent = await send(ctx, call)
  const data = emails.map((email, index) => asEmail(email, sent.ids[index] ?? '', sent.createdAt))
  return { body: { data }, ...(sent.replayed ? replayHeader : {}) }
}
