/**
 * Builds one recipient's timeline, oldest first: from the ledger, the providers' feedback, and
 * opens and clicks.
 */
import { happenings, type Happening } from '../../contract/workspace/messages.ts'
import type {
  DeferralRow,
  FeedbackPageRow,
  EngagementRow,
} from '../../db/messages/message-pages.ts'
import { detailOf } from '../../db/sending/failure-causes.ts'
import type { ListedRecipient } from '../../db/campaigns/campaign-recipient-pages.ts'
import { readAnswer } from '../../mail/reports/read-answer.ts'
import { rfc3339 } from '../input/read-time.ts'

/** A recipient with all its data. */
export interface Story extends Omit<
  ListedRecipient,
  | 'subscriberId'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'place'
  | 'bounce'
  | 'openedAt'
  | 'clickedAt'
> {
  acceptedAt: Date
  scheduledAt: Date | null
  canceledAt: Date | null
  state: string
  doubtedAt: Date | null
  settledAt: Date | null
  feedback: FeedbackPageRow[]
  deferrals: DeferralRow[]
  engagements: EngagementRow[]
}

type What = Happening['what']

export function timelineOf(story: Story): Happening[] {
  const lines = [
    ...fromLedger(story),
    ...fromFeedback(story),
    ...story.deferrals.map(showDeferral),
    ...story.engagements.map(showEngagement),
  ]
  return lines.toSorted(
    (a, b) =>
      compare(secondOf(a), secondOf(b)) ||
      happenings.indexOf(a.what) - happenings.indexOf(b.what) ||
      compare(a.at, b.at),
  )
}

/**
 * Providers report events of one second in any order, yet a complaint cannot come before its
 * delivery.
 */
const secondOf = ({ at }: Happening): string => at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const happening = (what: What, at: Date, more: Partial<Happening> = {}): Happening => ({
  ...{
    what,
    at: rfc3339(at),
    answer: null,
    cause: null,
    suppressed_for: null,
    by: null,
    visitor: null,
    link: null,
    user_agent: null,
    attempt: null,
  },
  ...more,
})

const isGone = (status: string): status is 'bounced' | 'complained' | 'failed' | 'suppressed' =>
  ['bounced', 'complained', 'failed', 'suppressed'].includes(status)

function fromLedger(story: Story): Happening[] {
  const {
    acceptedAt,
    scheduledAt,
    canceledAt,
    sentAt,
    deliveredAt,
    unsubscribedAt,
    state,
    nextAt,
    status,
    response,
  } = story
  const answer = response === null ? null : readAnswer(response)
  const wasSaid = story.feedback.some((row) => row.kind === status)
  const lines = [
    happening('accepted', acceptedAt),
    scheduledAt && state === 'pending' && happening('scheduled', scheduledAt),
    canceledAt && happening('canceled', canceledAt),
    sentAt &&
      happening('sent', sentAt, {
        answer: answer?.meaning === 'accepted' ? answer : null,
        attempt: story.attempts,
      }),
    deliveredAt && happening('delivered', deliveredAt, { by: deliveryBy(story.deliveredBy) }),
    unsubscribedAt && happening('unsubscribed', unsubscribedAt),
    isGone(status) &&
      !canceledAt &&
      !wasSaid &&
      happening(story.cause === 'cancelled' ? 'canceled' : status, endOf(story), {
        answer: readAnswer(story.error ?? response ?? ''),
        cause: story.cause,
        suppressed_for: story.cause === 'suppressed' ? detailOf(story) : null,
      }),
    state === 'in_doubt' &&
      happening('in_doubt', story.doubtedAt ?? sentAt ?? endOf(story), { answer }),
    state === 'pending' && story.attempts > 0 && nextAt && happening('next_attempt', nextAt),
  ]
  return lines.filter((line) => line !== null && line !== false)
}

/** When it ended, as precisely as the ledger knows. */
const endOf = ({ settledAt, sentAt, deferrals, feedback, acceptedAt }: Story): Date =>
  settledAt ?? feedback.at(-1)?.at ?? deferrals.at(-1)?.at ?? sentAt ?? acceptedAt

const deliveryBy = (by: string | null): Happening['by'] =>
  by === 'feedback' || by === 'open' || by === 'click' || by === 'silence' ? by : null

/** Feedback about deliveries is omitted, since the ledger has them. */
const fromFeedback = ({ feedback }: Story): Happening[] =>
  feedback.flatMap(({ kind, detail, at }) => {
    const answer = detail === null ? null : readAnswer(detail)
    if (isGone(kind)) return [happening(kind, at, { answer })]
    if (kind === 'unread')
      return [
        happening('unread', at, { answer: detail === null ? null : { ...noCodes, text: detail } }),
      ]
    return kind === 'delayed' || kind === 'deferred' ? [happening('deferred', at, { answer })] : []
  })

/** A notice is not the reply of a server: codes and words in it may be about anything. */
const noCodes = { code: null, enhanced: null, meaning: null }

const showDeferral = ({ response, attempt, at }: DeferralRow): Happening =>
  happening('deferred', at, { answer: response === null ? null : readAnswer(response), attempt })

const showEngagement = ({ kind, visitor, link, userAgent, at }: EngagementRow): Happening =>
  happening(kind === 'open' ? 'opened' : 'clicked', at, {
    visitor,
    link,
    user_agent: userAgent || null,
  })
