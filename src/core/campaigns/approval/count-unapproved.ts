/** Counts a campaign that nobody has approved, before the transaction that would refuse it. */
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countReachable } from '../../../db/audience/subscribers.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { countAudience } from '../preflight/check-audience.ts'
import type { Counting } from '../audience/count-targeted.ts'
import { readSendApproval } from './send-approval.ts'

/** The number of recipients of what the digest names. */
export interface CountedCampaign {
  digest: string
  recipients: number
}

interface ToCount {
  workspaceId: number
  campaign: Pick<CampaignRow, 'id' | 'isTargeted'>
}

/**
 * Null where nothing is to be counted: no approval is demanded, or it has one, or it cannot be sent
 * now. Throws what a count of the audience throws.
 */
export async function countUnapproved(
  ctx: Counting,
  { workspaceId, campaign: { id: campaignId, isTargeted } }: ToCount,
): Promise<CountedCampaign | null> {
  const key = { workspaceId, campaignId }
  const { rule, state, campaign } = await readSendApproval(ctx.db, key)
  const { status, unfinished, digest } = campaign
  const isUnsent = status === 'draft' || status === 'scheduled'
  if (rule === null || state === 'approved' || unfinished || !isUnsent) return null
  const recipients = isTargeted
    ? (await countAudience(ctx, { ...key, seconds: segmentLimits.freezeSecondsMax })).reachable
    : // A broadcast that is created to be scheduled is in a transaction already.
      await countReachable(ctx.db, workspaceId)
  return { digest, recipients }
}
