/** The approval of a campaign's send, beside what the campaign is now. */
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
import { approverRole, sendOperation } from '../../approvals/operations.ts'

export const approvalKey = ({ workspaceId, campaignId }: CampaignKey): ApprovalKey => ({
  ...{ workspaceId, operation: sendOperation, subjectId: campaignId },
})

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
  const approval = await (locks ? lockApproval : approvalOf)(db, approvalKey(key))
  const campaign = existing(await digestedCampaign(db, key), { id: campaignId })
  const { digest } = campaign
  const state = await approvalState(db, approval, { workspaceId, digest, role: approverRole })
  return { rule, campaign, approval, state }
}
