/** A message as the API shows it: one status from many recipients (semantics 1, 3). */
import { formatMailbox } from '../../contract/address.ts'
import type { EmailDetail, EmailStatus, EmailSummary } from '../../contract/emails.ts'
import type { MessageRow, RecipientRow } from '../../db/messages.ts'
import { readHead } from '../sending/compose-email.ts'
import { rfc3339 } from './read-time.ts'

export function showEmail(row: MessageRow): EmailSummary {
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
    last_event: row.canceledAt ? 'canceled' : status === 'queued' && row.scheduledAt && isUnbegun(row) ? 'scheduled' : status,
    error: ['bounced', 'complained', 'failed'].includes(status)
      ? (row.recipients.find((recipient) => recipient.status === status)?.error ?? null)
      : null,
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

export function showEmailDetail(row: MessageRow, body: { html: string | null; text: string | null }): EmailDetail {
  return { ...showEmail(row), ...body, recipients: row.recipients.map(showRecipient) }
}

/** Any complained, bounced or failed, in this order; otherwise the least advanced. */
export function messageStatus(recipients: RecipientRow[]): EmailStatus {
  const order: EmailStatus[] = ['complained', 'bounced', 'failed', 'queued', 'sent']
  return order.find((status) => recipients.some((recipient) => recipient.status === status)) ?? 'delivered'
}

const isUnbegun = (row: MessageRow): boolean => row.recipients.every((recipient) => recipient.attempts === 0)

/** A complaint proves a delivery. */
const deliveredBeforeComplaint = (row: MessageRow, status: EmailStatus): string | null =>
  status === 'complained' ? latest(row.recipients.map((recipient) => recipient.deliveredAt)) : null

const showRecipient = (recipient: RecipientRow): EmailDetail['recipients'][number] => ({
  email: recipient.email,
  kind: recipient.kind,
  status: recipient.status,
  error: recipient.error,
  bounce: recipient.bounce,
  in_doubt: recipient.state === 'in_doubt' || (recipient.state === 'pending' && recipient.doubts > 0),
  attempts: recipient.attempts,
  response: recipient.response,
  sent_at: recipient.sentAt && rfc3339(new Date(recipient.sentAt)),
  delivered_at: recipient.deliveredAt && rfc3339(new Date(recipient.deliveredAt)),
  delivered_by: recipient.deliveredBy,
  opened_at: recipient.openedAt && rfc3339(new Date(recipient.openedAt)),
  clicked_at: recipient.clickedAt && rfc3339(new Date(recipient.clickedAt)),
})

const times = (values: (string | null)[]): number[] => values.flatMap((value) => (value === null ? [] : [Date.parse(value)]))

function earliest(values: (string | null)[]): string | null {
  const known = times(values)
  return known.length === 0 ? null : rfc3339(Math.min(...known))
}

function latest(values: (string | null)[]): string | null {
  const known = times(values)
  return known.length === 0 ? null : rfc3339(Math.max(...known))
}
