/**
 * Computes a recipient's next status from its feedback. Order and repetition of the feedback do not
 * change the result:
 *
 * 1. The most advanced status wins: complained > bounced > delivered > failed > sent > queued.
 * 2. A bounce that is not hard is `failed`: the address is not at fault. An assumed delivery proves
 *    nothing, so a refusal overrules it.
 * 3. Of several bounces the gravest class stands: hard, soft, policy, other.
 * 4. A hard bounce and a soft one count once for each recipient, and complaints that are proven.
 */
import type { BounceClass } from '../../contract/emails.ts'
import type { RecipientStatus } from '../../contract/workspace/messages.ts'
import type { LockedTarget, StatusUpdate } from '../../db/feedback/feedback.ts'
import type { Feedback, Refused } from '../feedback-target.ts'

/** Least advanced first. */
const order: RecipientStatus[] = [
  'queued',
  'suppressed',
  'sent',
  'failed',
  'delivered',
  'bounced',
  'complained',
]
/** Least grave first. */
const gravity: (BounceClass | null)[] = [null, 'other', 'policy', 'soft', 'hard']

/** The state of a recipient whose row is locked. */
export type LockedRecipientStatus = Pick<
  LockedTarget,
  'status' | 'state' | 'attempts' | 'deliveredBy' | 'bounce' | 'sentAt' | 'ageSeconds'
>

/** Feedback whose bounce is classified. */
export interface ClassifiedFeedback {
  kind: Feedback['kind']
  bounce: BounceClass | null
  detail: string | null
  at: Date | null
  isProven?: boolean
}

export interface StatusVerdict {
  /** The update to write. Null if there is none. */
  move: StatusUpdate | null
  /** Whether the status changes. */
  isMoved: boolean
  /** The feedback that caused the change; its code and complaint go into the events. */
  decidedBy: ClassifiedFeedback | null
  counts: { handOff: boolean; hardBounce: boolean; softBounce: boolean; complaint: boolean }
}

/** `feedback` is all new feedback of this recipient, in order of arrival. */
export function nextStatus(
  recipient: LockedRecipientStatus,
  feedback: ClassifiedFeedback[],
): StatusVerdict {
  const strongest = feedback.toSorted(
    (a, b) => order.indexOf(statusOf(b)) - order.indexOf(statusOf(a)),
  )[0]
  const status =
    strongest && order.indexOf(statusOf(strongest)) > rankOf(recipient)
      ? statusOf(strongest)
      : recipient.status
  const bounce = gravestFor(status, [
    recipient.bounce,
    ...feedback.map((classifiedFeedback) => classifiedFeedback.bounce),
  ])
  const isMoved = status !== recipient.status
  const delivers =
    (isMoved || recipient.deliveredBy === 'silence') &&
    feedback.some((classifiedFeedback) => isDelivery(statusOf(classifiedFeedback)))
  const counts = {
    handOff:
      isMoved &&
      recipient.sentAt === null &&
      recipient.state !== 'leased' &&
      !['bounced', 'complained'].includes(recipient.status),
    hardBounce: bounce === 'hard' && recipient.bounce !== 'hard' && recipient.status !== 'bounced',
    softBounce: bounce === 'soft' && recipient.bounce !== 'soft',
    complaint: feedback.some(({ kind, isProven = true }) => kind === 'complained' && isProven),
  }
  if (!isMoved && !delivers && bounce === recipient.bounce)
    return { move: null, isMoved, decidedBy: null, counts }
  const decidedBy = isMoved && strongest ? strongest : null
  return {
    move: {
      ...{ status, bounce, delivers },
      error: decidedBy && isWrong(status) ? (decidedBy.detail ?? status) : null,
      at:
        feedback.find((classifiedFeedback) => classifiedFeedback.kind === 'delivered')?.at ?? null,
    },
    ...{ isMoved, decidedBy, counts },
  }
}

/** The status that this feedback alone implies. */
function statusOf({ kind, bounce }: ClassifiedFeedback): RecipientStatus {
  if (kind === 'delayed' || kind === 'unread') return 'queued'
  return kind === 'bounced' && bounce !== 'hard' ? 'failed' : kind
}

/**
 * The rank of the current status. An assumed delivery ranks as `sent`, so that a refusal overrules
 * it.
 */
const rankOf = ({ status, deliveredBy }: LockedRecipientStatus): number =>
  order.indexOf(status === 'delivered' && deliveredBy === 'silence' ? 'sent' : status)

function gravestFor(status: RecipientStatus, classes: (BounceClass | null)[]): BounceClass | null {
  const gravest = classes.reduce((a, b) => (gravity.indexOf(b) > gravity.indexOf(a) ? b : a), null)
  if (status === 'bounced') return 'hard'
  if (status === 'complained') return gravest === 'hard' ? 'hard' : null
  return status === 'failed' ? gravest : null
}

const isDelivery = (status: RecipientStatus): boolean =>
  status === 'delivered' || status === 'complained'
const isWrong = (status: RecipientStatus): boolean =>
  ['bounced', 'complained', 'failed'].includes(status)

/**
 * Days after the hand-off in which feedback of a source counts. Any recipient of our mail can send
 * such notices (security: inbound mail).
 */
const oldestDays: Partial<Record<Feedback['source'], number>> = { dsn: 14, arf: 180 }

/** Why feedback about a recipient is refused. Null if it is accepted. */
export function whyRefused(
  recipient: LockedRecipientStatus | null,
  { source }: Pick<Feedback, 'source'>,
): Refused | null {
  if (!recipient) return 'unknown'
  if (recipient.attempts === 0) return 'not_begun'
  return recipient.ageSeconds > (oldestDays[source] ?? Infinity) * 86_400 ? 'too_old' : null
}
