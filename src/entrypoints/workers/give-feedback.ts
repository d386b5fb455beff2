/** One workspace's turn of news: what the capture mailbox owes, and silence that counts as delivery. */
import type { Service } from '../../core/context.ts'
import { recordFeedback } from '../../core/sending/record-feedback.ts'
import { owedFeedback, settleOwed } from '../../db/captured-mails.ts'
import { raiseFeedbackDue } from '../../db/due.ts'
import { deliverBySilence } from '../../db/feedback.ts'
import type { Turn } from './deliver-due.ts'

const atOnce = 500

const details = {
  delivered: null,
  bounced: '550 5.1.1 simulated: the address does not exist',
  complained: 'simulated: the recipient marked the message as spam',
  failed: '554 5.0.0 simulated: the message could not be delivered',
}

export async function giveFeedback(service: Service, workspaceId: number, silenceSeconds: number | null): Promise<Turn> {
  const owed = await owedFeedback(service.db, workspaceId, atOnce)
  if (owed.length > 0) {
    const news = owed.map((mail) => ({
      source: 'local-capture',
      sourceId: mail.id,
      messageId: mail.messageId,
      position: mail.position,
      kind: mail.kind,
      detail: details[mail.kind],
    }))
    const ids = owed.map((mail) => mail.id)
    await recordFeedback(service, workspaceId, news, (tx) => settleOwed(tx, workspaceId, ids))
  }
  const silent = silenceSeconds === null ? 0 : await deliverBySilence(service.db, workspaceId, silenceSeconds, atOnce)
  if (owed.length === atOnce || silent === atOnce) return 'more'
  await raiseFeedbackDue(service.db, workspaceId, silenceSeconds)
  return 'later'
}
