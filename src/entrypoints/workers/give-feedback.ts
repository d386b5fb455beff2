/** One workspace's turn of news: what the capture mailbox owes, and silence that counts as delivery. */
import type { Service } from '../../core/context.ts'
import type { Feedback } from '../../core/sending/feedback.ts'
import { recordFeedback } from '../../core/sending/record-feedback.ts'
import { takeCampaignSilence, takeSilence } from '../../core/sending/take-silence.ts'
import { owedFeedback, settleOwed } from '../../db/captured-mails.ts'
import type { OwedFeedback } from '../../db/captured-mails.ts'
import { raiseFeedbackDue } from '../../db/due.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 500
/** Rows of a frozen list that one statement looks at. */
const walkedAtOnce = 2000

export async function giveFeedback(service: Service, workspaceId: number, silenceSeconds: number | null): Promise<Turn> {
  const owed = await owedFeedback(service.db, workspaceId, atOnce)
  await giveOwed(service, workspaceId, owed)
  if (silenceSeconds !== null && (await hasMoreSilence(service, workspaceId, silenceSeconds))) return 'more'
  if (owed.length === atOnce) return 'more'
  await raiseFeedbackDue(service.db, workspaceId, silenceSeconds)
  return 'later'
}

async function hasMoreSilence(service: Service, workspaceId: number, silenceSeconds: number): Promise<boolean> {
  const silent = await takeSilence(service, workspaceId, { silenceSeconds, most: atOnce })
  const quiet = await takeCampaignSilence(service, workspaceId, { silenceSeconds, most: walkedAtOnce })
  return silent === atOnce || quiet > 0
}

async function giveOwed(service: Service, workspaceId: number, owed: OwedFeedback[]): Promise<void> {
  const ids = owed.map(({ id }) => id)
  if (ids.length > 0) await recordFeedback(service, workspaceId, owed.map(toldBy), (tx) => settleOwed(tx, workspaceId, ids))
}

/** What the simulators say, in the words of a mail server. */
const said: Record<OwedFeedback['kind'], Pick<Feedback, 'bounce' | 'code' | 'complaint' | 'detail'>> = {
  delivered: { detail: null },
  bounced: { bounce: 'hard', code: '5.1.1', detail: '550 5.1.1 simulated: the address does not exist' },
  complained: { complaint: 'abuse', detail: 'simulated: the recipient marked the message as spam' },
  failed: { code: '5.0.0', detail: '554 5.0.0 simulated: the message could not be delivered' },
}

function toldBy({ id, kind, ...of }: OwedFeedback): Feedback {
  const target =
    of.messageId === null
      ? { campaignId: of.campaignId, subscriberId: of.subscriberId }
      : { messageId: of.messageId, position: of.position }
  return { source: 'local-capture', sourceId: id, target, kind, ...said[kind], at: null }
}
