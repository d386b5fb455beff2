/**
 * Parses an Amazon SES event to the feedback about one recipient (SES Developer Guide, "Contents of
 * event data that Amazon SES publishes to Amazon SNS").
 *
 * Opens and clicks of SES are ignored: our own pixels and links record and classify them.
 */
import type { BounceClass } from '../../../contract/emails.ts'
import { attemptTagName } from '../../../providers/amazon-ses/attempt-tag.ts'
import { jsonFields, jsonList, textOf } from '../../../ground/read-json.ts'
import type { Feedback } from '../../feedback-target.ts'

export type SesFeedback = Pick<
  Feedback,
  'sourceId' | 'kind' | 'bounce' | 'code' | 'complaint' | 'detail' | 'at'
>

export type SesEvent =
  /** `tag`: our own tag; null when the event has none. */
  | { kind: 'feedback'; tag: string | null; feedback: SesFeedback }
  /** An event that changes nothing here. */
  | { kind: 'nothing'; why: string }

type Fields = Record<string, unknown>

/** Returns null when it is not an SES event. */
export function readSesEvent(json: unknown): SesEvent | null {
  const event = jsonFields(json)
  // Notices that an identity sends directly use another key for the type, and have no tags.
  const type = textOf(event.eventType) ?? textOf(event.notificationType)
  const mail = jsonFields(event.mail)
  const messageId = textOf(mail.messageId)
  if (type === null || messageId === null) return null
  const result = read(type, event)
  if (result === null) return { kind: 'nothing', why: `an event of the kind ${type} is not used` }
  if ('why' in result) return { kind: 'nothing', why: result.why }
  const { id, at, ...feedback } = result
  const tag = textOf(jsonList(jsonFields(mail.tags)[attemptTagName])[0])
  const when = at ?? mail.timestamp
  // The identifier comes from the event, not from its notice: a topic and a queue may both deliver
  // one event.
  const sourceId = [messageId, type, textOf(id) ?? textOf(when) ?? ''].join('/').slice(0, 200)
  return { kind: 'feedback', tag, feedback: { sourceId, ...feedback, at: dateOf(when) } }
}

interface ReadFeedback extends Pick<
  SesFeedback,
  'kind' | 'bounce' | 'code' | 'complaint' | 'detail'
> {
  /** The identifier that SES gives it, if any. */
  id?: unknown
  at?: unknown
}

function read(type: string, event: Fields): ReadFeedback | { why: string } | null {
  switch (type) {
    case 'Send':
      return { kind: 'sent', detail: null }
    case 'Delivery':
      return { kind: 'delivered', detail: null, at: jsonFields(event.delivery).timestamp }
    case 'DeliveryDelay':
      return readDelay(jsonFields(event.deliveryDelay))
    case 'Bounce':
      return readBounce(jsonFields(event.bounce))
    case 'Complaint':
      return readComplaint(jsonFields(event.complaint))
    case 'Reject':
      return {
        kind: 'failed',
        detail: words('Amazon SES rejected it', jsonFields(event.reject).reason),
      }
    case 'Rendering Failure':
    case 'RenderingFailure':
      return {
        kind: 'failed',
        detail: words('Amazon SES could not render it', jsonFields(event.failure).errorMessage),
      }
    default:
      return null
  }
}

/** Each message has one recipient. If there were more, the first one would decide. */
function readDelay(delay: Fields): ReadFeedback {
  const first = jsonFields(jsonList(delay.delayedRecipients)[0])
  const type = textOf(delay.delayType)
  return {
    kind: 'delayed',
    code: textOf(first.status),
    detail: words(type ?? 'delayed', first.diagnosticCode),
    at: delay.timestamp,
  }
}

function readBounce(bounce: Fields): ReadFeedback {
  const first = jsonFields(jsonList(bounce.bouncedRecipients)[0])
  const [type, subType] = [textOf(bounce.bounceType) ?? '', textOf(bounce.bounceSubType) ?? '']
  const checked = checkBounce(type, subType)
  const code = textOf(first.status)
  const diagnostic = textOf(first.diagnosticCode)
  return {
    kind: 'bounced',
    ...(checked !== 'by the reply' && { bounce: checked }),
    ...(checked === 'by the reply' &&
      code === null &&
      diagnostic === null && { bounce: 'hard' as const }),
    code,
    detail: words(`${type}/${subType}`, diagnostic),
    ...{ id: bounce.feedbackId, at: bounce.timestamp },
  }
}

/**
 * Classifies by the bounce types of SES:
 * - `Suppressed`, the list that SES keeps of recent bounces: hard.
 * - The account's own suppression list: refused. Its entries come from the owner or a complaint,
 *   and say nothing about the address.
 * - A general permanent bounce: SES also reports refusals for content or reputation so. The mail
 *   host's reply decides, and policy never suppresses.
 */
function checkBounce(type: string, subType: string): BounceClass | 'by the reply' {
  if (/^On\w+SuppressionList$|^UnsubscribedRecipient$/.test(subType)) return 'policy'
  if (type === 'Permanent') {
    if (subType === 'NoEmail' || subType === 'Suppressed') return 'hard'
    return subType === 'General' ? 'by the reply' : 'other'
  }
  if (subType === 'ContentRejected' || subType === 'AttachmentRejected') return 'policy'
  return subType === 'MessageTooLarge' ? 'other' : 'soft'
}

function readComplaint(complaint: Fields): ReadFeedback | { why: string } {
  const [type, subType] = [
    textOf(complaint.complaintFeedbackType),
    textOf(complaint.complaintSubType),
  ]
  const named = { id: complaint.feedbackId, at: complaint.arrivalDate ?? complaint.timestamp }
  // The recipient complained about an earlier mail; this one was not sent (SES Developer Guide,
  // "Complaint object").
  if (subType !== null)
    return {
      kind: 'bounced',
      bounce: 'policy',
      detail: words('not sent by Amazon SES', subType),
      ...named,
    }
  // RFC 5965 7.3: a report of another kind is no complaint.
  if (type === 'not-spam' || type === 'auth-failure')
    return { why: `a report of the kind ${type} is no complaint` }
  return {
    kind: 'complained',
    complaint: type,
    detail: words('the recipient complained', type),
    ...named,
  }
}

const words = (ours: string, others: unknown): string => {
  const text = textOf(others)
  return text === null ? ours : `${ours}: ${text}`
}

function dateOf(value: unknown): Date | null {
  const at = new Date(textOf(value) ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}
