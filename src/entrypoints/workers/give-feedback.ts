/** One workspace's turn of feedback: the pending feedback of the capture mailbox, and assumed deliveries. */
import type { Service } from '../../core/context.ts'
import type { Feedback } from '../../core/feedback-target.ts'
import { recordFeedback } from '../../core/feedback/record-feedback.ts'
import { assumeCampaignMailDelivered, assumeDelivered } from '../../core/feedback/assume-delivered.ts'
import { pendingFeedback, markFeedbackGiven, type PendingFeedback } from '../../db/captured/captured-mails.ts'
import { raiseFeedbackDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 500
/** Rows of a frozen list that one statement reads. */
const givenAtOnce = 2000

export async function giveFeedback(service: Service, workspaceId: number, silenceSeconds: number | null): Promise<Turn> {
  const pending = await pendingFeedback(service.db, workspaceId, atOnce)
  await givePending(service, workspaceId, pending)
  if (silenceSeconds !== null && (await hasMoreSilence(service, workspaceId, silenceSeconds))) return 'more'
  if (pending.length === atOnce) return 'more'
  await raiseFeedbackDue(service.db, workspaceId, silenceSeconds)
  return 'later'
}

async function hasMoreSilence(service: Service, workspaceId: number, silenceSeconds: number): Promise<boolean> {
  const silent = await assumeDelivered(service, { workspaceId, limits: { silenceSeconds, max: atOnce } })
  const quiet = await assumeCampaignMailDelivered(service, { workspaceId, limits: { silenceSeconds, max: givenAtOnce } })
  return silent === atOnce || quiet > 0
}

async function givePending(service: Service, workspaceId: number, pending: PendingFeedback[]): Promise<void> {
  const ids = pending.map(({ id }) => id)
  if (ids.length > 0)
    await recordFeedback(service, {
      workspaceId,
      feedback: pending.map(reportedBy),
      alongside: (tx) => markFeedbackGiven(tx, workspaceId, ids),
    })
}

/** The simulators' answers, in the words of a mail server. */
const said: Record<PendingFeedback['kind'], Pick<Feedback, 'bounce' | 'code' | 'complaint' | 'detail'>> = {
  delivered: { detail: null },
  bounced: { bounce: 'hard', code: '5.1.1', detail: '550 5.1.1 simulated: the address does not exist' },
  complained: { complaint: 'abuse', detail: 'simulated: the recipient marked the message as spam' },
  failed: { code: '5.0.0', detail: '554 5.0.0 simulated: the message could not be delivered' },
}

function reportedBy({ id, kind, ...of }: PendingFeedback): Feedback {
  const target =
    of.messageId === null
      ? { campaignId: of.campaignId, subscriberId: of.subscriberId }
      : { messageId: of.messageId, position: of.position }
  return { source: 'local-capture', sourceId: id, target, kind, ...said[kind], at: null }
}
