/**
 * Hands mail over inside the accepting request, until its deadline. If the provider refuses the
 * whole call, the admission is undone.
 */
import { ApiError } from '../../contract/errors.ts'
import type { AdmissionMessage, AdmissionUnit } from '../../db/sending/admissions.ts'
import { passesLater } from '../../database/client/database-errors.ts'
import { retrying } from '../../database/client/retrying.ts'
import { takeBackRefused } from '../../db/sending/idempotency-keys.ts'
import { messagesById } from '../../db/messages/messages.ts'
import type { OutcomeRow } from '../../db/sending/outcomes.ts'
import type { CallContext, HandOffRow } from '../context.ts'
import type { EmailToSend } from './read-email.ts'
import { trackEmail } from './track-email.ts'
import { composeEmail, withTextPart, type AdmittedEmail } from './compose-email.ts'
import { makeReturnPath } from './return-path.ts'
import type { Head } from '../presentation/message-head.ts'

interface Admitted {
  emails: EmailToSend[]
  /** One for each of the emails, in their order. */
  heads: Head[]
  idempotency: AdmissionUnit['idempotency']
  unit: AdmissionUnit
  createdAt: Date
  requestedAtMs: number
}

/**
 * Hands over the inline recipients and waits until the deadline. Hand-offs without an answer by
 * then continue in the background.
 */
export async function handOffInline(ctx: CallContext, call: Admitted): Promise<void> {
  const rows = call.unit.messages.flatMap((message, index) => {
    const email = call.emails[index]
    const head = call.heads[index]
    if (!email || !head) return []
    const admitted = once(() => withTextPart(admittedEmail(message, head, call.createdAt)))
    const shared = once(() => composeEmail(admitted()))
    return message.recipients.flatMap((recipient, position) =>
      recipient.inline
        ? [
            {
              workspaceId: ctx.workspaceId,
              messageId: message.id,
              position,
              fence: 1,
              attempt: 1,
              requestedAtMs: call.requestedAtMs,
              recipient: recipient.email,
              ...makeReturnPath(ctx, {
                from: { host: head.returnPathHost ?? null, ...email.from },
                subject: { workspaceId: ctx.workspaceId, messageId: message.id, position },
              }),
              fromDomain: email.from.domain,
              compose: email.track
                ? () =>
                    composeEmail(
                      trackEmail(ctx, {
                        workspaceId: ctx.workspaceId,
                        email: admitted(),
                        position,
                      }),
                    )
                : shared,
            },
          ]
        : [],
    )
  })
  const handOffs = beginHandOffs(ctx, rows)
  // After the deadline the hand-offs still record their outcomes.
  const answered = new AbortController()
  const events = await Promise.race([handOffs.catch(() => null), deadline(ctx, answered.signal)])
  // With a reason: without one, an exception with its stack would be made for each call.
  answered.abort(null)
  // Recording also returns null when the answer to its commit was lost: then the ledger decides.
  if (events?.every((event) => event === null || event === 'failed' || event === 'bounced'))
    await refuseWhole(ctx, call)
}

/**
 * Hands over as many rows as the provider has slots and its rate allows; the workers take the
 * others.
 */
async function beginHandOffs(
  ctx: CallContext,
  rows: HandOffRow[],
): Promise<(OutcomeRow['event'] | null)[]> {
  const count = Math.min(rows.length, Math.max(0, ctx.providers.of(ctx.workspaceId).free()))
  const permits = count === 0 ? 0 : await takeRateOrNone(ctx, count)
  return Promise.all(
    rows.map((row, index) =>
      index < permits ? handOffUntilTaken(ctx, row) : logFailure(ctx, leaveToWorkers(ctx, row)),
    ),
  )
}

/** The workers are woken once the row is free: the call's admission did not wake them. */
async function leaveToWorkers(
  ctx: CallContext,
  row: HandOffRow,
): Promise<OutcomeRow['event'] | null> {
  const event = await ctx.sending.returnRow(row)
  ctx.wake('transactional')
  return event
}

/**
 * Resolves when the provider has taken the mail, or another outcome is recorded. The acceptance is
 * recorded behind the answer, which does not depend on that; a crash in between leaves the row in
 * doubt, as a crash right before the answer does.
 */
function handOffUntilTaken(ctx: CallContext, row: HandOffRow): Promise<OutcomeRow['event'] | null> {
  const { promise: taken, resolve } = Promise.withResolvers<'sent'>()
  return Promise.race([
    taken,
    logFailure(ctx, ctx.sending.handOff({ ...row, onTaken: () => resolve('sent') })),
  ])
}

function logFailure<T>(ctx: CallContext, recorded: Promise<T>): Promise<T> {
  recorded.catch((error: unknown) =>
    ctx.log.error({ err: error }, 'An outcome was not recorded: its row becomes in doubt'),
  )
  return recorded
}

/**
 * If the rate cannot be read, nothing is handed over here: the messages stay accepted, and the
 * workers send them.
 */
async function takeRateOrNone(ctx: CallContext, count: number): Promise<number> {
  try {
    return await ctx.sending.takeRate(ctx.workspaceId, count)
  } catch (error) {
    ctx.log.warn({ err: error }, 'The rate could not be checked; the workers send these mails')
    return 0
  }
}

/**
 * Counts from the admission's answer, so that it ends after the row's own deadline in the ledger. A
 * refusal before the ledger's deadline therefore answers this call and every replay of it as
 * refused.
 */
async function deadline(ctx: CallContext, answered: AbortSignal): Promise<null> {
  await ctx.clock.sleep(ctx.settings.inlineSeconds * 1000 + 50, answered).catch(() => undefined)
  return null
}

/**
 * Undoes the admission when every recipient was refused: frees the key, returns the quota and
 * throws `send_failed`.
 */
async function refuseWhole(ctx: CallContext, call: Admitted): Promise<void> {
  const ids = call.unit.messages.map((message) => message.id)
  await ctx.failpoints?.hit('send.before_take_back')
  const refused = await retrying(
    () => takeBackRefused(ctx.db, ctx.workspaceId, ids, call.idempotency?.key ?? null),
    passesLater,
  )
  if (!refused) return
  const rows = await messagesById(ctx.db, ctx.workspaceId, ids)
  const recipients = rows.flatMap((row) =>
    row.recipients.map(({ email, error }) => ({ email, error })),
  )
  throw new ApiError('send_failed', {
    id: ids[0],
    reason: recipients[0]?.error ?? null,
    recipients,
  })
}

const admittedEmail = (message: AdmissionMessage, head: Head, createdAt: Date): AdmittedEmail => ({
  id: message.id,
  head,
  subject: message.subject,
  messageIdHeader: message.messageId,
  createdAt,
  html: message.html,
  text: message.text,
  attachments: message.attachments,
})

function once<T>(make: () => T): () => T {
  let result: { value: T } | undefined
  return () => (result ??= { value: make() }).value
}
