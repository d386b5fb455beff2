/**
 * GET /campaigns/{id}/reach: the number of subscribers a send would reach now, those held back with
 * reasons, and the quota.
 */
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import { findCampaign } from '../find-campaign.ts'
import { countAudience } from '../preflight/check-audience.ts'
import { sendingStatus } from '../../reputation/account-status.ts'
import type { Verb } from '../../verb.ts'

export const getCampaignReach: Verb<'getCampaignReach'> = async (ctx, { params }) => {
  const { id } = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const [audience, account] = await Promise.all([
    countAudience(ctx, { workspaceId: ctx.workspaceId, campaignId: id }),
    accountStatus(ctx.db, ctx.workspaceId),
  ])
  const { monthlyQuota: limit, used } = account
  return {
    body: {
      object: 'campaign_reach',
      ...audience,
      quota: { limit, remaining: limit === null ? null : Math.max(0, limit - used) },
      sending: sendingStatus(account).status,
    },
  }
}
