/** GET /campaigns: newest first, all of them or those of one status. */
import { campaignIds } from '../../db/campaigns/campaigns.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import type { Verb } from '../verb.ts'
import { pageOfCampaigns } from './page-of-campaigns.ts'

export const listCampaigns: Verb<'listCampaigns'> = async (ctx, { query }) => {
  const { status = null } = query
  const body = await pageOfCampaigns(ctx, {
    query,
    list: {
      binding: [ctx.workspaceId, 'campaigns', status],
      idsOf: (page) => campaignIds(ctx.db, ctx.workspaceId, { ...page, status }),
      show: (row) => presentCampaign(row, ctx.language),
    },
  })
  return { body }
}
