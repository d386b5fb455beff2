/** The stairs that every single message takes: admit, hand over, answer (semantics 1). */
import { ApiError } from '../../contract/errors.ts'
import type { ErrorDetails } from '../../contract/errors.ts'
import type { AdmissionMessage, AdmissionUnit } from '../../db/admissions.ts'
import { findIdempotencyKey, takeBackRefused } from '../../db/idempotency-keys.ts'
import { messagesById } from '../../db/messages.ts'
import { suppressionsOf } from '../../db/suppressions.ts'
import { domainsOf, workspaceStanding } from '../../db/workspaces.ts'
import type { EmailToSend } from '../emails/read-email.ts'
import type { CallContext } from '../context.ts'
import { composeEmail, headOf } from './compose-email.ts'
import type { AdmittedEmail } from './compose-email.ts'
import { takeRate } from './provider-rate.ts'

/** An accepted call: its messages' ids and time, in the order asked. */
export interface Sent {
  ids: string[]
  createdAt: Date
  /** Whether an earlier call with the same Idempotency-Key is answered, and nothing was sent now. */
  replayed: boolean
}

/** Sends one call's messages, all or none; throws the refusals of `POST /emails`. */
export async function send(
  ctx: CallContext,
  call: { emails: EmailToSend[]; idempotency: AdmissionUnit['idempotency'] },
): Promise<Sent> {
  const unit: AdmissionUnit = {
    idempotency: call.idempotency,
    apiKeyId: ctx.apiKey.id,
    messages: call.emails.map((email) => toMessage(ctx, email)),
  }
  for (;;) {
    const askedAtMs = ctx.clock.monotonicMs()
    const admission = await ctx.sending.admit(ctx.workspaceId, unit)
    if (admission.verdict === 'key_taken') {
      const replay = await replayOf(ctx, unit)
      if (replay) return replay
    } else if (admission.verdict === 'admitted') {
      await ctx.failpoints.hit('send.after_admit')
      await handOffInline(ctx, { ...call, unit, createdAt: admission.at, askedAtMs })
      return { ids: unit.messages.map((message) => message.id), createdAt: admission.at, replayed: false }
    } else {
      throw new ApiError(admission.verdict, await refusalDetails(ctx, admission.verdict, call.emails))
    }
  }
}

function toMessage(ctx: CallContext, email: EmailToSend): AdmissionMessage {
  const id = ctx.makeId()
  const recipients = new Map<string, AdmissionMessage['recipients'][number]>()
  for (const kind of ['to', 'cc', 'bcc'] as const) {
    for (const { address, key } of email[kind]) {
      // Named twice, a person still gets one copy.
      if (!recipients.has(key)) recipients.set(key, { kind, email: address, key, inline: !email.scheduledAt && ctx.provider.inline(address) })
    }
  }
  return {
    id,
    fromDomain: email.from.domain,
    head: JSON.stringify(headOf(email)),
    subject: email.subject,
    tags: email.tags && JSON.stringify(email.tags),
    messageId: `${id}@${email.from.domain}`,
    scheduledAt: email.scheduledAt,
    html: email.html,
    text: email.text,
    recipients: [...recipients.values()],
    attachments: email.files,
  }
}

/**
 * The answer of the call that holds the key; waits while that call's own hand-off may still refuse it. Null: the key was freed
 * meanwhile, and may be claimed again.
 */
async function replayOf(ctx: CallContext, unit: AdmissionUnit): Promise<Sent | null> {
  if (!unit.idempotency) throw new Error('A key was taken that nobody gave')
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 200)) {
    const found = await findIdempotencyKey(ctx.db, ctx.workspaceId, unit.idempotency.key)
    if (!found) return null
    if (!found.fingerprint.equals(unit.idempotency.fingerprint)) throw new ApiError('idempotency_key_reused', { key: unit.idempotency.key })
    if (found.refused) {
      // A twin may see it before the call itself comes to it, or after that call's process was lost.
      await takeBackRefused(ctx.db, ctx.workspaceId, found.messageIds, unit.idempotency.key)
      return null
    }
    if (!found.open) {
      const [first] = await messagesById(ctx.db, ctx.workspaceId, found.messageIds.slice(0, 1))
      // Our own write may have been committed by a connection that was lost: then it is no replay.
      const ours = found.messageIds[0] === unit.messages[0]?.id
      return first ? { ids: found.messageIds, createdAt: first.createdAt, replayed: !ours } : null
    }
    await ctx.clock.sleep(waitMs)
  }
}

interface Admitted {
  emails: EmailToSend[]
  idempotency: AdmissionUnit['idempotency']
  unit: AdmissionUnit
  createdAt: Date
  askedAtMs: number
}

/** Hands over what the request itself hands over, until its deadline; what has no answer by then goes on without it. */
async function handOffInline(ctx: CallContext, call: Admitted): Promise<void> {
  const rows = call.unit.messages.flatMap((message, index) => {
    const email = call.emails[index]
    if (!email) return []
    const compose = once(() => composeEmail(admittedEmail(message, email, call.createdAt)))
    return message.recipients.flatMap((recipient, position) =>
      recipient.inline
        ? [
            {
              workspaceId: ctx.workspaceId,
              messageId: message.id,
              position,
              fence: 1,
              attempt: 1,
              askedAtMs: call.askedAtMs,
              recipient: recipient.email,
              returnPath: email.from.address,
              compose,
            },
          ]
        : [],
    )
  })
  if (rows.length === 0) return
  const places = Math.min(await takeRateOrNone(ctx, rows.length), ctx.provider.free())
  const handOffs = Promise.all(
    rows.map((row, index) => (index < places ? ctx.sending.handOff(row) : ctx.sending.returnRow(row))),
  )
  // Whoever waits no longer still wants the outcome recorded, and its failure told.
  handOffs.catch((error: unknown) => ctx.log.error({ err: error }, 'An outcome was not recorded: its row becomes in doubt'))
  const answered = new AbortController()
  const events = await Promise.race([handOffs.catch(() => null), deadline(ctx, call.askedAtMs, answered.signal)])
  answered.abort()
  // Null is also what recording answers when its own commit was lost on the way: the ledger knows.
  if (events?.every((event) => event === null || event === 'failed' || event === 'bounced')) await refuseWhole(ctx, call)
}

/** What was accepted stays accepted when the rate cannot be asked: the workers have it then. */
async function takeRateOrNone(ctx: CallContext, wanted: number): Promise<number> {
  try {
    return await takeRate(ctx, wanted)
  } catch (error) {
    ctx.log.warn({ err: error }, 'The rate could not be asked: the rows go back to the workers')
    return 0
  }
}

async function deadline(ctx: CallContext, askedAtMs: number, answered: AbortSignal): Promise<null> {
  const leftMs = Math.max(0, askedAtMs + ctx.settings.inlineSeconds * 1000 - ctx.clock.monotonicMs())
  await ctx.clock.sleep(leftMs, answered).catch(() => undefined)
  return null
}

/** Refused for every recipient of the call: it was not accepted, its key is free again and its quota returned. */
async function refuseWhole(ctx: CallContext, call: Admitted): Promise<void> {
  const ids = call.unit.messages.map((message) => message.id)
  await ctx.failpoints.hit('send.before_take_back')
  if (!(await takeBackRefused(ctx.db, ctx.workspaceId, ids, call.idempotency?.key ?? null))) return
  const rows = await messagesById(ctx.db, ctx.workspaceId, ids)
  const recipients = rows.flatMap((row) => row.recipients.map(({ email, error }) => ({ email, error })))
  throw new ApiError('send_failed', { id: ids[0], reason: recipients[0]?.error ?? null, recipients })
}

const admittedEmail = (message: AdmissionMessage, email: EmailToSend, createdAt: Date): AdmittedEmail => ({
  id: message.id,
  head: headOf(email),
  subject: message.subject,
  messageIdHeader: message.messageId,
  createdAt,
  html: message.html,
  text: message.text,
  attachments: message.attachments,
})

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

type Refusal = 'unverified_from_domain' | 'reputation_blocked' | 'suppressed_recipient' | 'quota_exceeded'

/** What the caller needs to mend a refusal, looked up once it is known. */
async function refusalDetails(ctx: CallContext, refusal: Refusal, emails: EmailToSend[]): Promise<ErrorDetails> {
  switch (refusal) {
    case 'unverified_from_domain': {
      const domains = await domainsOf(ctx.db, ctx.workspaceId)
      const verifiedDomains = domains.filter((domain) => domain.status === 'verified').map((domain) => domain.name)
      const wrong = emails.find((email) => !verifiedDomains.includes(email.from.domain)) ?? emails[0]
      return { from: wrong?.from.address, verifiedDomains }
    }
    case 'reputation_blocked': {
      const standing = await workspaceStanding(ctx.db, ctx.workspaceId)
      const { handOffs, bounces, complaints } = standing
      return { hand_offs: handOffs, bounces, complaints, bounce_rate: share(bounces, handOffs), complaint_rate: share(complaints, handOffs) }
    }
    case 'suppressed_recipient': {
      const keys = emails.flatMap((email) => [...email.to, ...email.cc, ...email.bcc].map((mailbox) => mailbox.key))
      const entries = await suppressionsOf(ctx.db, ctx.workspaceId, [...new Set(keys)])
      const recipients = entries
        .map(({ email, reason, scope }) => ({ email, reason, scope }))
        .toSorted((a, b) => keys.indexOf(a.email) - keys.indexOf(b.email))
      return { recipients, email: recipients[0]?.email ?? null, reason: recipients[0]?.reason ?? null }
    }
    case 'quota_exceeded': {
      const { plan, monthlyQuota, used, resetsAt } = await workspaceStanding(ctx.db, ctx.workspaceId)
      const needed = emails.reduce((sum, email) => sum + email.to.length + email.cc.length + email.bcc.length, 0)
      return { plan, limit: monthlyQuota, used, remaining: Math.max(0, (monthlyQuota ?? 0) - used), needed, resets_at: resetsAt.toISOString() }
    }
    default:
      return refusal satisfies never
  }
}

export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
