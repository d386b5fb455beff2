/** Presents a message in the API: one status computed from all its recipients (semantics 1, 3). */
import { formatMailbox } from '../../ground/address.ts'
import type { EmailDetail, EmailStatus, EmailSummary, InDoubt } from '../../contract/emails.ts'
import type { MessageRow, RecipientRow } from '../../db/messages/messages.ts'
import type { Context } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'
import { readHead } from './message-head.ts'
import { nameRefusal } from './name-refusal.ts'

type Rules = Pick<Context['settings'], 'queueLifeSeconds'>

export function presentEmail(row: MessageRow, rules: Rules): EmailSummary {
  const head = readHead(row.head)
  const status = messageStatus(row.recipients)
  return {
    id: row.id,
    object: 'email',
    from: formatMailbox(head.from),
    to: head.to.map(formatMailbox),
    cc: head.cc.map(formatMailbox),
    bcc: head.bcc.map(formatMailbox),
    reply_to: head.replyTo.map(formatMailbox),
    subject: row.subject,
    status,
    last_event: row.canceledAt
      ? 'canceled'
      : status === 'queued' && row.scheduledAt && isUnbegun(row)
        ? 'scheduled'
        : status,
    error: ['bounced', 'complained', 'failed'].includes(status)
      ? (row.recipients.find((recipient) => recipient.status === status)?.error ?? null)
      : null,
    in_doubt: status === 'queued' ? inDoubtOf(row, rules) : null,
    tags: row.tags,
    message_id: `<${row.messageId}>`,
    created_at: rfc3339(row.createdAt),
    scheduled_at: row.scheduledAt && rfc3339(row.scheduledAt),
    sent_at: earliest(row.recipients.map((recipient) => recipient.sentAt)),
    delivered_at:
      status === 'delivered'
        ? latest(row.recipients.map((recipient) => recipient.deliveredAt))
        : deliveredBeforeComplaint(row, status),
  }
}

export function presentEmailDetail(
  row: MessageRow,
  body: { html: string | null; text: string | null },
  rules: Rules,
): EmailDetail {
  return { ...presentEmail(row, rules), ...body, recipients: row.recipients.map(showRecipient) }
}

/** Whether the mail may have left although its hand-off had no answer; true during a retry too. */
export const isInDoubt = ({
  state,
  doubts,
  status,
}: Pick<RecipientRow, 'state' | 'doubts' | 'status'>): boolean =>
  state !== 'settled' && doubts > 0 && status === 'queued'

/**
 * From the first doubt of its recipients to the last. A retry may be deferred until the queue's
 * life ends.
 */
function inDoubtOf(row: MessageRow, { queueLifeSeconds }: Rules): InDoubt | null {
  const doubtful = row.recipients.filter(isInDoubt)
  if (doubtful.length === 0) return null
  const lifeEnds = rfc3339((row.scheduledAt ?? row.createdAt).getTime() + queueLifeSeconds * 1000)
  return {
    since: earliest(doubtful.map(({ doubtedAt }) => doubtedAt)),
    decided_by: latest(
      doubtful.map(({ state, nextAt }) => (state === 'in_doubt' ? nextAt : lifeEnds)),
    ),
  }
}

/**
 * Returns complained, bounced or failed if any recipient is, in this order; otherwise the least
 * advanced status.
 */
export function messageStatus(recipients: RecipientRow[]): EmailStatus {
  const order: EmailStatus[] = ['complained', 'bounced', 'failed', 'queued', 'sent']
  return (
    order.find((status) => recipients.some((recipient) => recipient.status === status)) ??
    'delivered'
  )
}

const isUnbegun = (row: MessageRow): boolean =>
  row.recipients.every((recipient) => recipient.attempts === 0)

/** A complaint proves a delivery. */
const deliveredBeforeComplaint = (row: MessageRow, status: EmailStatus): string | null =>
  status === 'complained' ? latest(row.recipients.map((recipient) => recipient.deliveredAt)) : null

const showRecipient = (recipient: RecipientRow): EmailDetail['recipients'][number] => ({
  email: recipient.email,
  kind: recipient.kind,
  status: recipient.status,
  error: recipient.error,
  refusal: nameRefusal(
    recipient.error ?? (recipient.state === 'pending' ? recipient.response : null),
  ),
  bounce: recipient.bounce,
  in_doubt: isInDoubt(recipient),
  attempts: recipient.attempts,
  response: recipient.response,
  sent_at: recipient.sentAt && rfc3339(new Date(recipient.sentAt)),
  delivered_at: recipient.deliveredAt && rfc3339(new Date(recipient.deliveredAt)),
  delivered_by: recipient.deliveredBy,
  opened_at: recipient.openedAt && rfc3339(new Date(recipient.openedAt)),
  clicked_at: recipient.clickedAt && rfc3339(new Date(recipient.clickedAt)),
})

const times = (values: (string | null)[]): number[] =>
  values.flatMap((value) => (value === null ? [] : [Date.parse(value)]))

function earliest(values: (string | null)[]): string | null {
  const known = times(values)
  return known.length === 0 ? null : rfc3339(Math.min(...known))
}

function latest(values: (string | null)[]): string | null {
  const known = times(values)
  return known.length === 0 ? null : rfc3339(Math.max(...known))
}
