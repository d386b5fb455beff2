/**
 * GET /campaigns: newest first, all of them or those of one status. Users also search them, read
 * what is typed and noted, and find archived ones only by that status.
 */
import { campaignIds, campaignsById, searchCampaignIds } from '../../db/campaigns/campaigns.ts'
import { askedPage, byCreation, pageOf, readAfter } from '../input/cursor.ts'
import { presentCampaign, presentFoundCampaign } from '../presentation/present-campaign.ts'
import { isByKey } from '../context.ts'
import type { Verb } from '../verb.ts'

export const listCampaigns: Verb<'listCampaigns'> = async (ctx, { query }) => {
  const { db, workspaceId, user } = ctx
  const { status = null, q = '' } = query
  const page = askedPage(query, [workspaceId, 'campaigns', status, ...(user ? [q] : [])])
  const filter = { status, max: page.max, before: page.before?.id ?? readAfter(query.after) }
  const ids = user
    ? await searchCampaignIds(db, workspaceId, { ...filter, text: q.trim() })
    : await campaignIds(db, workspaceId, filter)
  const present = isByKey(ctx) ? presentCampaign : presentFoundCampaign
  const body = pageOf(await campaignsById(db, workspaceId, ids), {
    ...page,
    position: byCreation,
    show: (row) => present(row, ctx.language),
  })
  return { body }
}
