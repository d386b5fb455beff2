/** GET /campaigns: newest first, all of them or those of one status. */
import { limits } from '../../contract/limits.ts'
import { campaignIds, campaignsById } from '../../db/campaigns/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { rfc3339 } from '../input/read-time.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import type { Verb } from '../verb.ts'

export const listCampaigns: Verb<'listCampaigns'> = async (ctx, { query }) => {
  const limit = query.limit ?? limits.pageDefault
  const status = query.status ?? null
  const binding = [ctx.workspaceId, 'campaigns', status]
  const before = readCursor(query.cursor, binding)?.id ?? null
  const ids = await campaignIds(ctx.db, ctx.workspaceId, { status, most: limit + 1, before })
  const rows = await campaignsById(ctx.db, ctx.workspaceId, ids)
  const place = (row: CampaignRow) => ({ at: rfc3339(row.createdAt), id: row.id })
  return { body: pageOf(rows, { limit, binding, place, show: (row) => presentCampaign(row, ctx.language) }) }
}
