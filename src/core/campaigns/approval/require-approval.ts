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
): Promise<SendApproval> {
  const approval = await readSendApproval(tx, key, { locks: true })
  const { rule, state } = approval
  if (rule !== null && state !== 'approved')
    refuseAbove(approval, { key, recipients: await count(), because: state })
  return approval
}

/**
 * Of the frozen list itself, whose number nothing changes any more. `before`: what was required;
 * content and audience must still be that. Returns the digest to store.
 */
export async function requireApprovalOf(
  tx: Database,
  key: CampaignKey,
  { before, recipients }: { before: SendApproval; recipients: number },
): Promise<string> {
  const now = await readSendApproval(tx, key, { locks: true })
  const { digest } = now.campaign
  if (now.rule === null) return digest
  const because = reasonAgainst(now, { before, recipients })
  if (because !== null) refuseAbove(now, { key, recipients, because })
  return digest
}

function reasonAgainst(
  now: SendApproval,
  { before, recipients }: { before: SendApproval; recipients: number },
): Refused['because'] | null {
  if (now.state !== 'approved') return now.state
  if (now.campaign.digest !== before.campaign.digest) return 'changed'
  return recipients > approvedMax(now) ? 'exceeded' : null
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
