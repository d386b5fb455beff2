/** GET /campaigns/{id}/reach: whom a send would go to now, who is held back and why, and what the quota says of it. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import type { CallContext } from '../../context.ts'
import { findCampaign } from '../find-campaign.ts'
import { countAudience } from '../preflight/check-audience.ts'
import { sendingStatus } from '../../reputation/account-status.ts'

export async function getCampaignReach(
  ctx: CallContext,
  { params }: InputOf<'getCampaignReach'>,
): Promise<AnswerOf<'getCampaignReach'>> {
  await findCampaign(ctx, ctx.workspaceId, params.id)
  const [audience, standing] = await Promise.all([countAudience(ctx, ctx.workspaceId), accountStatus(ctx.db, ctx.workspaceId)])
  const { monthlyQuota: limit, used } = standing
  return {
    body: {
      object: 'campaign_reach',
      ...audience,
      quota: { limit, remaining: limit === null ? null : Math.max(0, limit - used) },
      sending: sendingStatus(standing).status,
    },
  }
}
