/**
 * Takes one mail behind DATA: its bytes within the limits, then the call that sends it, whose
 * answer becomes the reply. 250 comes after the commit.
 */
import { randomUUID } from 'node:crypto'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { CallContext, Service } from '../../core/context.ts'
import type { Answer } from '../../core/dispatch/call.ts'
import type { Dispatch } from '../../core/dispatch/dispatch.ts'
import { submitEmail } from '../../core/emails/submit-email.ts'
import { parseMailbox } from '../../ground/address.ts'
import { readIncomingMail, type MailMemory } from '../../mail/smtp-server/read-incoming-mail.ts'
import type { SubmissionFound, SubmissionReader } from './read-together.ts'
import { replies, replyTo, type SmtpReply } from './smtp-replies.ts'

export interface TakingParts {
  service: Service
  dispatch: Dispatch
  /** Parses in a thread. Null means too many mails wait. */
  read: SubmissionReader['read']
  /** Counts the end of each mail, for metrics. */
  ends: { inc(labels: { outcome: string }): void }
}

export interface TakenSession {
  session: SMTPServerSession
  login: { workspaceId: number; password: string }
  isDataBroken: () => boolean
  /** The final dot came: the client waits for the reply. */
  onWhole: () => void
  /** The thread has read it. */
  onRead: () => void
}

/** Null if the client is gone. */
export async function takeMail(
  parts: TakingParts,
  stream: SMTPServerDataStream,
  { memory, onWhole, ...from }: TakenSession & { memory: MailMemory },
): Promise<SmtpReply | null> {
  const raw = await readIncomingMail(stream, { memory, bytesMax: limits.emailBodyBytes })
  onWhole()
  if (typeof raw === 'string') {
    parts.ends.inc({ outcome: raw })
    return { too_large: replies.tooLarge, busy: replies.busy, broken_off: null }[raw]
  }
  const bufferedBytes = raw.length
  try {
    if (from.isDataBroken()) {
      parts.ends.inc({ outcome: 'bare_line_end' })
      return replies.bareData
    }
    const answer = await call(parts, raw, from)
    parts.ends.inc({ outcome: answer.code ?? 'accepted' })
    return replyTo(answer)
  } finally {
    memory.release(bufferedBytes)
  }
}

async function call(
  { service, dispatch, read }: TakingParts,
  raw: Buffer,
  { session, login, onRead }: Pick<TakenSession, 'session' | 'login' | 'onRead'>,
): Promise<Answer> {
  const [requestId, startedAtMs] = [randomUUID(), service.clock.monotonicMs()]
  const answer = await dispatch({
    operation: 'sendEmail',
    ...{ requestId, address: session.remoteAddress },
    input: { params: {}, query: {}, headers: {} },
    // Replies are ASCII (RFC 5321 4.2), which French is not.
    headers: { authorization: `Bearer ${login.password}`, 'accept-language': 'en' },
    readBody: () => Promise.resolve(undefined),
    async perform(ctx) {
      const result = await read(raw, login.workspaceId)
      onRead()
      await ctx.failpoints?.hit('submission.after_read')
      return { body: await submit(ctx, session, result) }
    },
  })
  const { status, code, workspaceId } = answer
  const ms = Math.round((service.clock.monotonicMs() - startedAtMs) * 10) / 10
  service.log.info(
    { requestId, operation: 'sendEmail', by: 'smtp', status, code, workspaceId, ms },
    'call',
  )
  return answer
}

async function submit(
  ctx: CallContext,
  session: SMTPServerSession,
  result: SubmissionFound,
): Promise<{ id: string | undefined }> {
  if (result === null) throw new ApiError('internal_error', { reason: 'busy' }, 5)
  if ('unreadable' in result)
    throw new ApiError('validation_error', { kind: 'malformed', why: result.unreadable })
  if ('kind' in result) throw new ApiError('validation_error', { ...result })
  const recipients = session.envelope.rcptTo.map(({ address }) => mailboxOf(address))
  const { ids } = await submitEmail(ctx, {
    mail: result.mail,
    recipients,
    digest: result.digest,
  })
  return { id: ids[0] }
}

/** RCPT took it, so that it is one. */
function mailboxOf(address: string) {
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) throw new Error('A recipient was taken that is no address')
  return mailbox
}
