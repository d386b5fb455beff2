/** The approval of a campaign's send, beside what the campaign is now. */
import type { CampaignStatus } from '../../../contract/campaigns.ts'
import { existing } from '../../../contract/errors.ts'
import { approvalRule, type ApprovalRule } from '../../../db/approvals/approval-rules.ts'
import {
  approvalOf,
  lockApproval,
  type ApprovalKey,
  type ApprovalRow,
} from '../../../db/approvals/approvals.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { digestedCampaign, type DigestedCampaign } from '../../../db/campaigns/campaign-digest.ts'
import type { Database } from '../../../database/client/database.ts'
import { approvalState, type ApprovalState } from '../../approvals/approval-state.ts'
import { approverRole, reopenOperation, sendOperation } from '../../approvals/operations.ts'

export const approvalKey = (
  { workspaceId, campaignId: subjectId }: CampaignKey,
  operation = sendOperation,
): ApprovalKey => ({ workspaceId, operation, subjectId })

/** Of a list that is frozen, a request is to send again. */
export const requestKey = (key: CampaignKey, status: CampaignStatus): ApprovalKey =>
  approvalKey(key, isFrozen(status) ? reopenOperation : sendOperation)

export const isFrozen = (status: CampaignStatus): boolean =>
  status === 'sending' || status === 'sent'

export interface SendApproval {
  /** Null: the workspace demands no approval. */
  rule: ApprovalRule | null
  campaign: DigestedCampaign
  /** Null: nobody asked. */
  approval: ApprovalRow | null
  state: ApprovalState
}

/** `locks`: in a transaction, until whose end nobody takes the approval back. Throws `not_found`. */
export async function readSendApproval(
  db: Database,
  key: CampaignKey,
  { locks = false }: { locks?: boolean } = {},
): Promise<SendApproval> {
  const { workspaceId, campaignId } = key
  const rule = await approvalRule(db, workspaceId, sendOperation)
  const campaign = existing(await digestedCampaign(db, key), { id: campaignId })
  const { digest, status } = campaign
  const approval = await approvalFor(db, key, { status, locks })
  // A list that is frozen stays as it is, whoever changes its segments later.
  const changedBy = isFrozen(status) ? [] : campaign.changedBy
  const whatItIs = { workspaceId, digest, changedBy, role: approverRole }
  const state = await approvalState(db, approval, whatItIs)
  return { rule, campaign, approval, state }
}

/** Of a frozen list, what it was sent with counts too, where nobody asked to send again. */
async function approvalFor(
  db: Database,
  key: CampaignKey,
  { status, locks }: { status: CampaignStatus; locks: boolean },
): Promise<ApprovalRow | null> {
  const read = locks ? lockApproval : approvalOf
  const request = await read(db, requestKey(key, status))
  if (request !== null || !isFrozen(status)) return request
  const sentWith = await read(db, approvalKey(key))
  return sentWith?.approvedBy ? sentWith : null
}
