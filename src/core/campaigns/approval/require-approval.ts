/**
 * Refuses a send that needs an approval and has no valid one: in the transaction that sends, by any
 * way in.
 */
import { ApiError } from '../../../contract/errors.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import type { Database } from '../../../database/client/database.ts'
import type { ApprovalState } from '../../approvals/approval-state.ts'
import type { CountedCampaign } from './count-unapproved.ts'
import { readSendApproval, type SendApproval } from './send-approval.ts'

/** Why a draft says that it was not sent. */
export type ApprovalNotice = 'approval_required' | 'approval_exceeded'

/**
 * Before anything is written: of an unapproved campaign is asked first whether it has more
 * recipients than the rule allows, which costs less than a list that is rolled back. Returns the
 * digest to store: of the audience as the list is compiled from, whatever becomes of its segments.
 */
export async function requireApproval(
  tx: Database,
  key: CampaignKey,
  isAbove: (above: number) => Promise<boolean>,
): Promise<string> {
  const { rule, state, campaign } = await readSendApproval(tx, key, { locks: true })
  if (rule === null || state === 'approved') return campaign.digest
  const { above } = rule
  if (await isAbove(above)) throw refusal(key, { because: state, above })
  return campaign.digest
}

/** Of what was counted before the transaction, which holds no second connection while it counts. */
export async function requireApprovalOfCounted(
  tx: Database,
  key: CampaignKey,
  counted: CountedCampaign | null,
): Promise<void> {
  const now = await readSendApproval(tx, key, { locks: true })
  const { rule, state, campaign } = now
  if (rule === null || state === 'approved') return
  if (counted?.digest !== campaign.digest)
    throw new ApiError('conflict', { id: key.campaignId, reason: 'changed_meanwhile' })
  refuseAbove(now, { key, recipients: counted.recipients, because: state })
}

/**
 * Of the frozen list itself, whose number nothing changes any more. Read again, because a segment
 * may have changed since: the approval has not, which the first reading locked.
 */
export async function requireApprovalOf(
  tx: Database,
  key: CampaignKey,
  recipients: number,
): Promise<void> {
  const now = await readSendApproval(tx, key, { locks: true })
  const { rule, state } = now
  if (rule !== null && state !== 'approved') refuseAbove(now, { key, recipients, because: state })
  else if (recipients > approvedMax(now)) refuseAbove(now, { key, recipients, because: 'exceeded' })
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
  { key, recipients, because }: Refused,
): void {
  if (rule === null || recipients <= rule.above) return
  const approved = because === 'exceeded' && approval ? { approved: approval.quantity } : {}
  throw refusal(key, { because, recipients, above: rule.above, ...approved })
}

const refusal = ({ campaignId: id }: CampaignKey, details: object): ApiError =>
  new ApiError('conflict', { id, reason: 'approval_required', ...details })

/** The notice of a draft that was refused by these rules; null for any other refusal. */
export function approvalNotice(error: unknown): ApprovalNotice | null {
  if (!(error instanceof ApiError) || error.details['reason'] !== 'approval_required') return null
  return error.details['because'] === 'exceeded' ? 'approval_exceeded' : 'approval_required'
}
