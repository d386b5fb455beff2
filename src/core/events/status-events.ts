/**
 * Makes the events of changed recipient statuses and of the suppressions that follow, for feedback
 * and for our own attempts.
 */
import type { EventTypeBy } from '../../contract/events.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'
import type { Database } from '../../database/client/database.ts'
import { subscribedTypesOf } from '../../db/events/events.ts'
import type { FeedbackTarget, ChangedRecipientStatus } from '../feedback-target.ts'
import { emailEvents, type EmailHappening } from './email-events.ts'
import { publishEvents, type NewEvent } from './publish-events.ts'
import { suppressionEvents } from './subscriber-events.ts'

/** A recipient whose mail host put its mail off; `error`: what it said. */
export interface Delay {
  target: FeedbackTarget
  error: string | null
}

/** The recipients that a transaction changed, and the addresses that it may have suppressed. */
export interface StatusChangesToPublish {
  changes: readonly ChangedRecipientStatus[]
  delays: readonly Delay[]
  suppressed: readonly { email: string }[]
}

/**
 * Call it last in the transaction. Returns the number of pending deliveries: if there are any, wake
 * the lane `webhook`.
 */
export async function publishStatusChanges(
  tx: Database,
  workspaceId: number,
  { changes, delays, suppressed: addresses }: StatusChangesToPublish,
): Promise<number> {
  if (changes.length + delays.length + addresses.length === 0) return 0
  const subscribed = await subscribedTypesOf(tx, workspaceId)
  if (subscribed.size === 0) return 0
  const suppressed = subscribed.has('suppression.created')
    ? addresses.map(({ email }) => email)
    : []
  return publishEvents(tx, workspaceId, [
    ...(await emailEvents(tx, workspaceId, [
      ...changes.flatMap(happeningsOf),
      ...(subscribed.has('email.delivery_delayed') ? delays.map(happeningOfDelay) : []),
    ])),
    ...(await suppressionEvents(tx, workspaceId, suppressed)),
  ])
}

/** Publishes `email.failed` for envelopes that failed without an attempt of ours or feedback. */
export async function publishFailed(
  tx: Database,
  workspaceId: number,
  failed: readonly FeedbackTarget[],
): Promise<number> {
  if (failed.length === 0 || !(await subscribedTypesOf(tx, workspaceId)).has('email.failed'))
    return 0
  const happenings = failed.map((target) => ({ type: 'email.failed' as const, target }))
  return publishEvents(tx, workspaceId, await emailEvents(tx, workspaceId, happenings))
}

/**
 * Publishes `email.failed` and `email.suppressed` for mail that is withheld because its recipient
 * was suppressed after it was accepted.
 */
export async function publishWithheld(
  tx: Database,
  workspaceId: number,
  withheld: readonly { target: FeedbackTarget; reason: SuppressionReason }[],
): Promise<number> {
  if (withheld.length === 0) return 0
  const subscribed = await subscribedTypesOf(tx, workspaceId)
  if (!subscribed.has('email.failed') && !subscribed.has('email.suppressed')) return 0
  const happenings = withheld.flatMap(({ target, reason }): EmailHappening[] => {
    const suppressed = { message: `suppressed: ${reason}`, type: reason }
    return [
      { type: 'email.failed', target },
      { type: 'email.suppressed', target, detail: { suppressed } },
    ]
  })
  return publishEvents(tx, workspaceId, await emailEvents(tx, workspaceId, happenings))
}

/** Makes the events of outcomes without consequences for their addresses, in the given order. */
export const outcomeEvents = (
  tx: Database,
  workspaceId: number,
  { changes, delays }: Pick<StatusChangesToPublish, 'changes' | 'delays'>,
): Promise<NewEvent<EventTypeBy<'outcome'>>[]> =>
  emailEvents(tx, workspaceId, [
    ...changes.flatMap(happeningsOfOutcome),
    ...delays.map(happeningOfDelay),
  ])

const happeningOfDelay = ({
  target,
  error,
}: Delay): EmailHappening<Extract<EventTypeBy<'outcome'>, 'email.delivery_delayed'>> => ({
  type: 'email.delivery_delayed',
  target,
  detail: { error: error ?? '' },
})

function happeningsOfOutcome({
  target,
  status,
}: ChangedRecipientStatus): EmailHappening<EventTypeBy<'outcome'>>[] {
  if (status === 'sent') return [{ type: 'email.sent', target }]
  return status === 'failed' ? [{ type: 'email.failed', target }] : []
}

function happeningsOf(change: ChangedRecipientStatus): EmailHappening[] {
  const { target, was, status, bounce, code, complaint, error } = change
  switch (status) {
    case 'delivered':
      return [{ type: 'email.delivered', target }]
    case 'bounced':
      return [
        {
          type: 'email.bounced',
          target,
          detail: {
            bounce: {
              ...{ type: bounce ?? 'hard', subType: bounce ?? 'hard' },
              ...{ message: error ?? '', code },
            },
          },
        },
      ]
    case 'complained':
      return [
        // A complaint proves delivery: statistics count it as delivered now, unless they already
        // did.
        ...(was === 'delivered' || was === 'bounced'
          ? []
          : [{ type: 'email.delivered' as const, target }]),
        { type: 'email.complained', target, detail: { complaint: { type: complaint ?? 'abuse' } } },
      ]
    case 'sent':
    case 'failed':
    case 'queued':
    case 'suppressed':
      return happeningsOfOutcome(change)
    default:
      return status satisfies never
  }
}
