/**
 * Locks the recipients that feedback is about. All writers lock in one order, campaigns before
 * messages, to avoid deadlocks.
 */
import { holdCampaignRecipients } from '../../db/feedback/campaign-feedback.ts'
import type { Database } from '../../db/connection/database.ts'
import { holdMessageRecipients, type HeldTarget } from '../../db/feedback/feedback.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

export type HeldRecipient = HeldTarget & { target: FeedbackTarget; notice: boolean }

/**
 * Returns the locked recipients by `nameOf` their target. Recipients that this workspace does not
 * have are missing.
 */
export async function holdTargets(
  tx: Database,
  workspaceId: number,
  targets: FeedbackTarget[],
): Promise<Map<string, HeldRecipient>> {
  const each = [...new Map(targets.map((target) => [nameOf(target), target])).values()]
  const ofCampaigns = each.flatMap((target) => ('campaignId' in target ? [target] : []))
  const ofMessages = each.flatMap((target) => ('messageId' in target ? [target] : []))
  const held: HeldRecipient[] = []
  if (ofCampaigns.length > 0) {
    for (const { campaignId, subscriberId, ...row } of await holdCampaignRecipients(
      tx,
      workspaceId,
      ofCampaigns,
    )) {
      held.push({ ...row, notice: false, target: { campaignId, subscriberId } })
    }
  }
  if (ofMessages.length > 0) {
    for (const { messageId, position, ...row } of await holdMessageRecipients(
      tx,
      workspaceId,
      ofMessages,
    )) {
      held.push({ ...row, target: { messageId, position } })
    }
  }
  return new Map(held.map((recipient) => [nameOf(recipient.target), recipient]))
}

export const nameOf = (target: FeedbackTarget): string =>
  ('messageId' in target
    ? `${target.messageId}/${target.position}`
    : `${target.campaignId} ${target.subscriberId}`
  ).toLowerCase()
