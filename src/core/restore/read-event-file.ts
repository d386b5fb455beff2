/**
 * Reads events from a file: bodies of webhook calls, or answers of `GET /events`. Of each it takes
 * what matters after a restore: which mail has left, and which address is suppressed.
 */
import { parseMailbox } from '../../ground/address.ts'
import { isEventType, type EventType } from '../../contract/events.ts'
import { suppressionReasons, type SuppressionReason } from '../../contract/suppression.ts'
import { isRecord, parseJson } from '../../ground/read-json.ts'
import { splitObjects } from './split-objects.ts'

export type KnownStatus = 'sent' | 'delivered' | 'bounced' | 'complained'

/** An envelope that has left: of a single message, or of a campaign. */
export interface KnownMail {
  target: { messageId: string } | { campaignId: string; subscriberId: string }
  /** Lower-cased. */
  email: string
  status: KnownStatus
  at: Date
}

export interface KnownEvent {
  at: Date
  /** The domain of the mail's sender. Null if the event is about no mail. */
  domain: string | null
  mail: KnownMail | null
  suppressed: { email: string; reason: SuppressionReason; sourceId: string | null } | null
}

export type ReadEvent = { line: number } & ({ event: KnownEvent } | { fault: string })

/** Tests of webhooks are left out. */
export async function* readEventFile(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadEvent> {
  for await (const { line, text } of splitObjects(chunks)) {
    const read = text === null ? undefined : parseJson(text)
    if (!isRecord(read)) yield { line, fault: 'no whole JSON object' }
    else {
      for (const body of Array.isArray(read['data']) ? (read['data'] as unknown[]) : [read]) {
        const event = readEvent(body)
        if (event !== null)
          yield { line, ...(typeof event === 'string' ? { fault: event } : { event }) }
      }
    }
  }
}

/** Null for a test; a text says what is wrong. */
function readEvent(body: unknown): KnownEvent | string | null {
  if (!isRecord(body)) return 'no event'
  const { id, type, created_at: createdAt, data } = body
  const at = typeof createdAt === 'string' ? new Date(createdAt) : null
  const isEvent =
    typeof id === 'string' && id.startsWith('evt_') && typeof type === 'string' && isRecord(data)
  if (!isEvent || at === null || Number.isNaN(at.getTime()))
    return 'no event with id, type, created_at and data'
  if (data['test'] === true) return null
  if (!isEventType(type)) return { at, domain: null, mail: null, suppressed: null }
  const address = addressOf(type.startsWith('email.') ? data['recipient'] : data['email'])
  if (!type.startsWith('email.')) {
    const reason = reasons[type]?.(data) ?? null
    if (reason !== null && address === null) return `${type} without an address`
    return {
      at,
      domain: null,
      mail: null,
      suppressed:
        reason === null || address === null
          ? null
          : { email: address, reason, sourceId: sourceOf(data) },
    }
  }
  const target = targetOf(data)
  const domain = domainOfText(data['from'])
  if (address === null || target === null || domain === null)
    return `${type} without recipient, sender or identifiers`
  const status = statuses[type] ?? null
  const reason = reasons[type]?.(data) ?? null
  return {
    ...{ at, domain },
    mail: status && { target, email: address, status, at },
    suppressed: reason && {
      email: address,
      reason,
      sourceId: 'messageId' in target ? target.messageId : target.campaignId,
    },
  }
}

/**
 * The status that each type proves of its mail. `email.failed` proves nothing: the mail is tried
 * again.
 */
const statuses: Partial<Record<EventType, KnownStatus>> = {
  'email.sent': 'sent',
  'email.delivered': 'delivered',
  'email.opened': 'delivered',
  'email.clicked': 'delivered',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
}

const reasonOf = ({ reason }: Record<string, unknown>): SuppressionReason | null =>
  suppressionReasons.find((known) => known === reason) ?? null

const reasons: Partial<
  Record<EventType, (data: Record<string, unknown>) => SuppressionReason | null>
> = {
  'email.bounced': () => 'bounce',
  'email.complained': () => 'complaint',
  'subscriber.unsubscribed': (data) => reasonOf(data) ?? 'unsubscribe',
  // An entry of the whole platform is the operator's, who has its list.
  'suppression.created': (data) =>
    data['scope'] === 'platform' ? null : (reasonOf(data) ?? 'manual'),
}

function targetOf(data: Record<string, unknown>): KnownMail['target'] | null {
  const { email_id: messageId, campaign_id: campaignId, subscriber_id: subscriberId } = data
  if (isUuid(messageId)) return { messageId }
  return isUuid(campaignId) && isUuid(subscriberId) ? { campaignId, subscriberId } : null
}

const sourceOf = ({ source_id: id }: Record<string, unknown>): string | null =>
  isUuid(id) ? id : null

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)

function addressOf(value: unknown): string | null {
  const mailbox = typeof value === 'string' ? parseMailbox(value) : null
  return mailbox === null || 'rule' in mailbox ? null : mailbox.key
}

function domainOfText(value: unknown): string | null {
  const mailbox = typeof value === 'string' ? parseMailbox(value) : null
  return mailbox === null || 'rule' in mailbox ? null : mailbox.domain
}
