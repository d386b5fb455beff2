/** POST /emails: sends one message to 1 to 50 recipients. */
import { formatMailbox } from '../../ground/address.ts'
import type { Email } from '../../contract/emails.ts'
import type { CallContext } from '../context.ts'
import { withFetchedFiles } from '../sending/fetch-files.ts'
import { replayOf, type Sent } from '../sending/replay.ts'
import { send } from '../sending/send.ts'
import { checkSchedule } from './check-schedule.ts'
import { recordSentByUser } from './record-sent-by-user.ts'
import {
  fingerprintOf,
  validateTextSize,
  readEmail,
  type EmailToSend,
} from '../sending/read-email.ts'
import { withBlocks } from './with-blocks.ts'
import type { Verb } from '../verb.ts'

export const sendEmail: Verb<'sendEmail'> = async (ctx, input) => {
  const request = ctx.user === null ? input.body : await withBlocks(ctx, input.body)
  validateTextSize([request])
  const email = readEmail(request)
  const call = {
    emails: [email],
    idempotency: readIdempotency(input.headers['idempotency-key'], [email], 'single'),
  }
  const emails =
    email.scheduledAt !== null || email.scheduledIn !== undefined
      ? await checkSchedule(ctx, { ...call, pathOf: () => 'scheduled_at' })
      : call.emails
  const sent = await (email.links ? sendWithFiles : send)(ctx, { ...call, emails })
  if (ctx.user !== null) await recordSentByUser(ctx, { emails, sent })
  await ctx.failpoints?.hit('send_email.before_answer')
  return {
    body: asEmail(emails[0] ?? email, sent, 0),
    ...(sent.replayed ? replayHeader : {}),
  }
}

/**
 * As `send()`, which gets the files fetched: a repeated call is answered before, and a refused one
 * is admitted again with the same files.
 */
async function sendWithFiles(ctx: CallContext, call: Parameters<typeof send>[1]): Promise<Sent> {
  const [email] = call.emails
  if (!email) throw new Error('A call has no email')
  const { idempotency, emails: messages } = call
  const work = (fetched: EmailToSend): Promise<Sent> => send(ctx, { ...call, emails: [fetched] })
  return (
    (idempotency && (await replayOf(ctx, { idempotency, messages }))) ??
    withFetchedFiles(ctx, { email, work })
  )
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

/** A repeated call answers the time that the first one set, or that a change has set since. */
export function asEmail(email: EmailToSend, sent: Sent, index: number): Email {
  const at = sent.scheduled ? sent.scheduled[index] : email.scheduledAt
  return {
    id: sent.ids[index] ?? '',
    object: 'email',
    from: formatMailbox(email.from),
    to: email.to.map(formatMailbox),
    subject: email.subject,
    created_at: sent.createdAt.toISOString(),
    ...(at && { scheduled_at: at }),
  }
}
