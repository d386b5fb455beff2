/**
 * One workspace's turn of feedback: the pending feedback of the capture mailbox, and assumed
 * deliveries.
 */
import type { Service } from '../../core/context.ts'
import type { Feedback } from '../../core/feedback-target.ts'
import { recordFeedback } from '../../core/feedback/record-feedback.ts'
import {
  assumeCampaignMailDelivered,
  assumeDelivered,
} from '../../core/feedback/assume-delivered.ts'
import {
  pendingFeedback,
  markFeedbackGiven,
  type PendingFeedback,
} from '../../db/captured/captured-mails.ts'
import { raiseFeedbackDue } from '../../db/sending/due.ts'
import { ScanMark } from '../../ground/scan-mark.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 500
/** Rows of a frozen list that one statement reads. */
const givenAtOnce = 2000

/**
 * Up to when feedback was looked through. Both begin at their first row together, so that a due
 * time is deleted then.
 */
interface Marks {
  /** Its time is that of the last turn. */
  turn: ScanMark
  pendingTo: Date | null
  silentTo: Date | null
}

/**
 * Creates a worker's turns, which remember up to when they looked for each workspace's feedback.
 */
export function createGiveFeedback(
  service: Service,
): (workspaceId: number, silenceSeconds: number | null) => Promise<Turn> {
  const known = new Map<number, Marks>()
  return async (workspaceId, silenceSeconds) => {
    const here = known.get(workspaceId) ?? {
      turn: new ScanMark(service.clock),
      pendingTo: null,
      silentTo: null,
    }
    known.set(workspaceId, here)
    return giveFeedback(service, { workspaceId, silenceSeconds, here })
  }
}

interface Requested {
  workspaceId: number
  silenceSeconds: number | null
  here: Marks
}

async function giveFeedback(service: Service, request: Requested): Promise<Turn> {
  const { workspaceId, silenceSeconds, here } = request
  const from = here.turn.from()
  const requestedAtMs = service.clock.monotonicMs()
  if (from === null) [here.pendingTo, here.silentTo] = [null, null]
  const { pendingTo, silentTo } = here
  const { pending, passedTo } = await pendingFeedback(service.db, workspaceId, {
    max: atOnce,
    from: pendingTo,
  })
  await givePending(service, workspaceId, pending)
  here.pendingTo = passedTo
  const hasMore =
    silenceSeconds !== null && (await hasMoreSilence(service, { ...request, silenceSeconds }))
  here.turn.passed(passedTo, { from, requestedAtMs })
  if (hasMore || pending.length === atOnce) return 'more'
  // Raised from where this turn began to look: one that began at the first rows sees all that are
  // left.
  const scanned =
    from === null ? null : { pendingTo, silentTo, fullInSeconds: here.turn.fullInSeconds() }
  await raiseFeedbackDue(service.db, workspaceId, silenceSeconds, scanned)
  return 'later'
}

async function hasMoreSilence(
  service: Service,
  { workspaceId, silenceSeconds, here }: Requested & { silenceSeconds: number },
): Promise<boolean> {
  const silence = { workspaceId, limits: { silenceSeconds, max: atOnce }, from: here.silentTo }
  const { taken, passedTo } = await assumeDelivered(service, silence)
  here.silentTo = passedTo
  const quiet = await assumeCampaignMailDelivered(service, {
    workspaceId,
    limits: { silenceSeconds, max: givenAtOnce },
  })
  return taken === atOnce || quiet > 0
}

async function givePending(
  service: Service,
  workspaceId: number,
  pending: PendingFeedback[],
): Promise<void> {
  const ids = pending.map(({ id }) => id)
  if (ids.length > 0)
    await recordFeedback(service, {
      workspaceId,
      feedback: pending.map(reportedBy),
      inSameTransaction: (tx) => markFeedbackGiven(tx, workspaceId, ids),
    })
}

/** The simulators' answers, in the words of a mail server. */
const messages: Record<
  PendingFeedback['kind'],
  Pick<Feedback, 'bounce' | 'code' | 'complaint' | 'detail'>
> = {
  delivered: { detail: null },
  bounced: {
    bounce: 'hard',
    code: '5.1.1',
    detail: '550 5.1.1 simulated: the address does not exist',
  },
  complained: { complaint: 'abuse', detail: 'simulated: the recipient marked the message as spam' },
  failed: { code: '5.0.0', detail: '554 5.0.0 simulated: the message could not be delivered' },
}

function reportedBy({ id, kind, ...of }: PendingFeedback): Feedback {
  const target =
    of.messageId === null
      ? { campaignId: of.campaignId, subscriberId: of.subscriberId }
      : { messageId: of.messageId, position: of.position }
  return { source: 'local-capture', sourceId: id, target, kind, ...messages[kind], at: null }
}
