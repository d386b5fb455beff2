/** POST /emails: sends one message to 1 to 50 recipients. */
import { formatMailbox } from '../../ground/address.ts'
import type { Email } from '../../contract/emails.ts'
import { send } from '../sending/send.ts'
import { checkSchedule } from './check-schedule.ts'
import {
  fingerprintOf,
  validateTextSize,
  readEmail,
  type EmailToSend,
} from '../sending/read-email.ts'
import type { Verb } from '../verb.ts'

export const sendEmail: Verb<'sendEmail'> = async (ctx, input) => {
  validateTextSize([input.body])
  const email = readEmail(input.body)
  const call = {
    emails: [email],
    idempotency: readIdempotency(input.headers['idempotency-key'], [email], 'single'),
  }
  if (email.scheduledAt !== null)
    await checkSchedule(ctx, { ...call, pathOf: () => 'scheduled_at' })
  const sent = await send(ctx, call)
  await ctx.failpoints?.hit('send_email.before_answer')
  return {
    body: asEmail(email, sent.ids[0] ?? '', sent.createdAt),
    ...(sent.replayed ? replayHeader : {}),
  }
}

export const replayHeader = { headers: { 'Idempotent-Replay': 'true' } }

/** An empty key counts as absent (semantics 1). */
export function readIdempotency(
  key: string | undefined,
  emails: EmailToSend[],
  form: 'single' | 'batch',
): { key: string; fingerprint: Buffer } | null {
  return key ? { key, fingerprint: fingerprintOf(emails, form) } : null
}

export const asEmail = (email: EmailToSend, id: string, createdAt: Date): Email => ({
  id,
  object: 'email',
  from: formatMailbox(email.from),
  to: email.to.map(formatMailbox),
  subject: email.subject,
  created_at: createdAt.toISOString(),
})
