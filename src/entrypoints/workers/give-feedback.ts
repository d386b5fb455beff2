/** One workspace's turn of news: what the capture mailbox owes, and silence that counts as delivery. */
import { recordCampaignFeedback } from '../../core/campaigns/record-campaign-feedback.ts'
import type { Service } from '../../core/context.ts'
import { recordFeedback } from '../../core/sending/record-feedback.ts'
import { deliverCampaignBySilence } from '../../db/campaign-silence.ts'
import { owedFeedback, settleOwed } from '../../db/captured-mails.ts'
import type { OwedFeedback } from '../../db/captured-mails.ts'
import { raiseFeedbackDue } from '../../db/due.ts'
import { deliverBySilence } from '../../db/feedback.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 500
/** Rows of a frozen list that one statement looks at. */
const walkedAtOnce = 2000

const details = {
  delivered: null,
  bounced: '550 5.1.1 simulated: the address does not exist',
  complained: 'simulated: the recipient marked the message as spam',
  failed: '554 5.0.0 simulated: the message could not be delivered',
}

export async function giveFeedback(service: Service, workspaceId: number, silenceSeconds: number | null): Promise<Turn> {
  const owed = await owedFeedback(service.db, workspaceId, atOnce)
  await giveMessageNews(service, workspaceId, owed)
  await giveCampaignNews(service, workspaceId, owed)
  const silent = silenceSeconds === null ? 0 : await deliverBySilence(service.db, workspaceId, silenceSeconds, atOnce)
  const quiet =
    silenceSeconds === null ? 0 : await deliverCampaignBySilence(service.db, workspaceId, silenceSeconds, walkedAtOnce)
  if (owed.length === atOnce || silent === atOnce || quiet > 0) return 'more'
  await raiseFeedbackDue(service.db, workspaceId, silenceSeconds)
  return 'later'
}

async function giveMessageNews(service: Service, workspaceId: number, owed: OwedFeedback[]): Promise<void> {
  const news = owed.flatMap((mail) =>
    mail.messageId === null ? [] : [{ ...toldBy(mail), messageId: mail.messageId, position: mail.position }],
  )
  const ids = news.map(({ sourceId }) => sourceId)
  if (ids.length > 0) await recordFeedback(service, workspaceId, news, (tx) => settleOwed(tx, workspaceId, ids))
}

async function giveCampaignNews(service: Service, workspaceId: number, owed: OwedFeedback[]): Promise<void> {
  const news = owed.flatMap((mail) =>
    mail.campaignId === null ? [] : [{ ...toldBy(mail), campaignId: mail.campaignId, subscriberId: mail.subscriberId }],
  )
  const ids = news.map(({ sourceId }) => sourceId)
  if (ids.length > 0) await recordCampaignFeedback(service, workspaceId, news, (tx) => settleOwed(tx, workspaceId, ids))
}

const toldBy = ({ id, kind }: OwedFeedback) => ({ source: 'local-capture', sourceId: id, kind, detail: details[kind] })
