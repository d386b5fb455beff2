/**
 * Refuses a send that needs an approval and has none that counts: in the transaction that sends,
 * with the campaign locked, whoever asked for it.
 */
import { ApiError } from '../../../contract/errors.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import type { Database } from '../../../database/client/database.ts'
import type { ApprovalState } from '../../approvals/approval-state.ts'
import { readSendApproval, type SendApproval } from './send-approval.ts'

/** Why a draft says that it was not sent. */
export type ApprovalNotice = 'approval_required' | 'approval_exceeded'

/**
 * Before anything is written: an unapproved campaign is counted first, which costs less than a list
 * that is rolled back.
 */
export async function requireApproval(
  tx: Database,
  key: CampaignKey,
  count: () => Promise<number>,
): Promise<void> {
  const approval = await readSendApproval(tx, key, { locks: true })
  const { rule, state } = approval
  if (rule !== null && state !== 'approved')
    refuseAbove(approval, { key, recipients: await count(), because: state })
}

/**
 * Of the frozen list itself, whose number nothing changes any more. Read again, because a segment
 * may have changed since: the approval has not, which the first reading locked. Returns the digest
 * to store.
 */
export async function requireApprovalOf(
  tx: Database,
  key: CampaignKey,
  recipients: number,
): Promise<string> {
  const now = await readSendApproval(tx, key, { locks: true })
  const { rule, state } = now
  if (rule !== null && state !== 'approved') refuseAbove(now, { key, recipients, because: state })
  else if (recipients > approvedMax(now)) refuseAbove(now, { key, recipients, because: 'exceeded' })
  return now.campaign.digest
}

/** Recipients that the approval covers. */
const approvedMax = ({ rule, approval }: SendApproval): number =>
  Math.floor(((approval?.quantity ?? 0) * (100 + (rule?.growthPercent ?? 0))) / 100)

interface Refused {
  key: CampaignKey
  recipients: number
  because: ApprovalState | 'exceeded'
}

function refuseAbove(
  { rule, approval }: SendApproval,
  { key: { campaignId: id }, recipients, because }: Refused,
): void {
  if (rule === null || recipients <= rule.above) return
  const approved = because === 'exceeded' && approval ? { approved: approval.quantity } : {}
  const counted = { because, recipients, above: rule.above, ...approved }
  throw new ApiError('conflict', { id, reason: 'approval_required', ...counted })
}

/** The notice of a draft that was refused by these rules; null for any other refusal. */
export function approvalNotice(error: unknown): ApprovalNotice | null {
  if (!(error instanceof ApiError) || error.details['reason'] !== 'approval_required') return null
  return error.details['because'] === 'exceeded' ? 'approval_exceeded' : 'approval_required'
}
