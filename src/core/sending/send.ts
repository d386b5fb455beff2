/** Sends single messages in three steps: admit, hand over, answer (semantics 1). */
import type { Mailbox } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AdmissionMessage, AdmissionUnit } from '../../db/sending/admissions.ts'
import type { CallContext } from '../context.ts'
import type { EmailToSend } from './read-email.ts'
import { admit } from './admit.ts'
import { handOffInline } from './hand-off-inline.ts'
import { refusalDetails } from './refusal-details.ts'
import { replayOf, type Sent } from './replay.ts'
import type { Head, HeadMailbox, WrittenHead } from '../presentation/message-head.ts'

/** Sends the messages of one call, all or none; throws the refusals of `POST /emails`. */
export async function send(
  ctx: CallContext,
  call: { emails: EmailToSend[]; idempotency: AdmissionUnit['idempotency'] },
): Promise<Sent> {
  const heads = await Promise.all(
    call.emails.map(async (email) =>
      headOf(email, await ctx.mailDomains.get(ctx.workspaceId, email.from.domain)),
    ),
  )
  const unit: AdmissionUnit = {
    // The broken variant claims no key, so every repeated call is admitted.
    idempotency: ctx.failpoints?.broken('send.key') ? null : call.idempotency,
    // A signed-in user has no API key.
    apiKeyId: ctx.apiKey.id || null,
    messages: call.emails.map((email, index) => toMessage(ctx, email, heads[index])),
  }
  for (;;) {
    const requestedAtMs = ctx.clock.monotonicMs()
    const admission = await admit(ctx, { workspaceId: ctx.workspaceId, unit })
    if (admission.verdict === 'key_taken') {
      const replay = await replayOf(ctx, unit)
      if (replay) return replay
    } else if (admission.verdict === 'admitted') {
      await ctx.failpoints?.hit('send.after_admit')
      if (unit.messages.some(({ recipients }) => recipients.some(({ inline }) => inline)))
        await handOffInline(ctx, { ...call, unit, heads, createdAt: admission.at, requestedAtMs })
      return {
        ids: unit.messages.map((message) => message.id),
        createdAt: admission.at,
        replayed: false,
      }
    } else {
      throw new ApiError(
        admission.verdict,
        await refusalDetails(ctx, { refusal: admission.verdict, emails: call.emails }),
      )
    }
  }
}

/**
 * `hosts`: those of the sender's domain that are in use now. They stay the mail's, whatever
 * settings change before a retry.
 */
function headOf(
  email: EmailToSend,
  hosts: { returnPathHost: string | null; trackingBaseUrl: string | null },
): Head {
  const { returnPathHost, trackingBaseUrl } = hosts
  const { shownTo = email.to, shownCc = email.cc } = email.written ?? {}
  return {
    from: short(email.from),
    to: shownTo.map(short),
    cc: shownCc.map(short),
    bcc: email.bcc.map(short),
    replyTo: email.replyTo.map(short),
    headers: email.headers,
    returnPathHost,
    ...(email.html !== null &&
      email.text === null &&
      !email.leavesTextOff && { textFromHtml: true }),
    ...(email.track && {
      track: { ...email.track, ...(trackingBaseUrl !== null && { baseUrl: trackingBaseUrl }) },
    }),
    ...(email.written && { written: writtenHead(email.written) }),
  }
}

const writtenHead = ({ to, cc, date, alternatives, dropped }: WrittenHead): WrittenHead => ({
  ...{ to, cc, date, alternatives, dropped },
})

const short = ({ name, address }: Mailbox): HeadMailbox => ({ name, address })

function toMessage(ctx: CallContext, email: EmailToSend, head: Head | undefined): AdmissionMessage {
  const id = ctx.makeId()
  const provider = ctx.providers.of(ctx.workspaceId)
  const recipients = new Map<string, AdmissionMessage['recipients'][number]>()
  for (const kind of ['to', 'cc', 'bcc'] as const) {
    for (const { address, key } of email[kind]) {
      // An address that is named twice gets one copy.
      if (!recipients.has(key))
        recipients.set(key, {
          kind,
          email: address,
          key,
          inline: !email.scheduledAt && provider.inline(address),
        })
    }
  }
  return {
    id,
    fromDomain: email.from.domain,
    head: JSON.stringify(head),
    subject: email.subject,
    tags: email.tags && JSON.stringify(email.tags),
    messageId: email.written?.messageId ?? `${id}@${email.from.domain}`,
    scheduledAt: email.scheduledAt,
    html: email.html,
    text: email.text,
    recipients: [...recipients.values()],
    attachments: email.files,
  }
}
