/** Presents the approval of a campaign to a member: who asked, who approved, and what it needs now. */
import { isAtLeast } from '../../../contract/roles.ts'
import { growthPercentDefault } from '../../../contract/workspace/approval-rule.ts'
import type { CampaignApproval } from '../../../contract/workspace/approval-schema.ts'
import { concernsApproval } from '../../../db/approvals/approvals.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { approverRole } from '../../approvals/operations.ts'
import type { CallContext } from '../../context.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { approvalKey, readSendApproval, type SendApproval } from './send-approval.ts'

/** Null where the workspace demands no approval and nobody asked for one. */
export async function presentApproval(
  { db, user = null }: Pick<CallContext, 'db'> & Partial<Pick<CallContext, 'user'>>,
  key: CampaignKey,
): Promise<CampaignApproval | null> {
  // The page of a running campaign asks often, and a digest reads the whole mail.
  if (!(await concernsApproval(db, approvalKey(key)))) return null
  const sendApproval = await readSendApproval(db, key)
  const { rule, approval, state, campaign } = sendApproval
  return {
    above: rule?.above ?? null,
    growth_percent: rule?.growthPercent ?? growthPercentDefault,
    state,
    digest: campaign.digest,
    recipients: approval?.quantity ?? null,
    asked_by: approval?.askedByEmail ?? null,
    asked_at: approval && rfc3339(approval.askedAt),
    approved_by: approval?.approvedByEmail ?? null,
    approved_at: approval?.approvedAt ? rfc3339(approval.approvedAt) : null,
    obstacle: obstacleOf(sendApproval, user),
  }
}

function obstacleOf(
  { approval, campaign: { changedBy } }: SendApproval,
  user: CallContext['user'],
): CampaignApproval['obstacle'] {
  if (!user || !isAtLeast(user.role, approverRole)) return 'role'
  if (approval?.askedBy === user.id) return 'own_request'
  return changedBy.includes(user.email) ? 'own_change' : null
}
