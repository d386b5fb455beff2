/**
 * Lists a workspace's campaigns for their page, newest first, filtered by status and by words of
 * name or subject.
 */
import { searchCampaignIds } from '../../db/campaigns/campaigns.ts'
import { presentForUsers } from '../presentation/present-campaign.ts'
import type { Verb } from '../verb.ts'
import { pageOfCampaigns } from './page-of-campaigns.ts'

export const searchCampaigns: Verb<'searchCampaigns'> = async (ctx, { query }) => {
  const { status = null, q = '' } = query
  const body = await pageOfCampaigns(ctx, {
    query,
    list: {
      binding: [ctx.workspaceId, 'campaigns/search', status, q],
      idsOf: (page) =>
        searchCampaignIds(ctx.db, ctx.workspaceId, { ...page, status, text: q.trim() }),
      show: (row) => ({ ...presentForUsers(row, ctx.language), unfinished: row.unfinished }),
    },
  })
  return { body }
}
