/** Counts a campaign that nobody has approved, before the transaction that would refuse it. */
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { countAudience } from '../preflight/check-audience.ts'
import type { Counting } from '../audience/count-targeted.ts'
import { readSendApproval } from './send-approval.ts'

/** The number of recipients of what the digest names. */
export interface CountedCampaign {
  digest: string
  recipients: number
}

/**
 * Null where nothing is to be counted: no approval is demanded, or it has one, or it cannot be sent
 * now. Throws what a count of the audience throws.
 */
export async function countUnapproved(
  ctx: Counting,
  key: CampaignKey,
): Promise<CountedCampaign | null> {
  const { rule, state, campaign } = await readSendApproval(ctx.db, key)
  const { status, unfinished, digest } = campaign
  const isUnsent = status === 'draft' || status === 'scheduled'
  if (rule === null || state === 'approved' || unfinished || !isUnsent) return null
  return { digest, recipients: (await countAudience(ctx, key)).reachable }
}
