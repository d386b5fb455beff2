/** Makes the events of changed recipient statuses and of the suppressions that follow, for feedback and for our own attempts. */
import type { Database } from '../../db/connection/connect.ts'
import type { FeedbackTarget, ChangedRecipientStatus } from '../feedback-target.ts'
import { emailEvents } from './email-events.ts'
import type { EmailHappening } from './email-events.ts'
import { eventsHeard, publishEvents } from './publish-events.ts'
import type { NewEvent } from './publish-events.ts'
import { suppressionEvents } from './subscriber-events.ts'

/** The recipients that a transaction changed, and the addresses that it may have suppressed. */
export interface StatusChangesToPublish {
  moved: readonly ChangedRecipientStatus[]
  closed: readonly { email: string }[]
}

/** Call it last in the transaction. Returns the number of pending deliveries: if there are any, wake the lane `webhook`. */
export async function publishStatusChanges(tx: Database, workspaceId: number, told: StatusChangesToPublish): Promise<number> {
  if (told.moved.length + told.closed.length === 0) return 0
  const heard = await eventsHeard(tx, workspaceId)
  if (heard.size === 0) return 0
  const closed = heard.has('suppression.created') ? told.closed.map(({ email }) => email) : []
  return publishEvents(tx, workspaceId, [
    ...(await statusEvents(tx, workspaceId, told.moved)),
    ...(await suppressionEvents(tx, workspaceId, closed)),
  ])
}

/** Publishes `email.failed` for envelopes that failed without an attempt of ours or feedback. */
export async function publishFailed(tx: Database, workspaceId: number, failed: readonly FeedbackTarget[]): Promise<number> {
  if (failed.length === 0 || !(await eventsHeard(tx, workspaceId)).has('email.failed')) return 0
  const happenings = failed.map((target) => ({ type: 'email.failed' as const, target }))
  return publishEvents(tx, workspaceId, await emailEvents(tx, workspaceId, happenings))
}

/** Returns events in the given order. */
export const statusEvents = (tx: Database, workspaceId: number, moved: readonly ChangedRecipientStatus[]): Promise<NewEvent[]> =>
  emailEvents(tx, workspaceId, moved.flatMap(happeningsOf))

function happeningsOf({ target, was, status, bounce, code, complaint, error }: ChangedRecipientStatus): EmailHappening[] {
  switch (status) {
    case 'sent':
      return [{ type: 'email.sent', target }]
    case 'delivered':
      return [{ type: 'email.delivered', target }]
    case 'bounced':
      return [{ type: 'email.bounced', target, detail: { bounce: { type: bounce ?? 'hard', message: error ?? '', code } } }]
    case 'complained':
      return [
        // A complaint proves delivery: statistics count it as delivered now, unless they already did.
        ...(was === 'delivered' || was === 'bounced' ? [] : [{ type: 'email.delivered' as const, target }]),
        { type: 'email.complained', target, detail: { complaint: { type: complaint ?? 'abuse' } } },
      ]
    case 'failed':
      return [{ type: 'email.failed', target }]
    case 'queued':
    case 'suppressed':
      return []
    default:
      return status satisfies never
  }
}
