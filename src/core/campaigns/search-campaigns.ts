/** Lists a workspace's campaigns for their page, newest first, filtered by status and by words of name or subject. */
import { limits } from '../../contract/limits.ts'
import { campaignsById, searchCampaignIds } from '../../db/campaigns/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { rfc3339 } from '../input/read-time.ts'
import { asTyped } from '../presentation/present-campaign.ts'
import type { Verb } from '../verb.ts'

export const searchCampaigns: Verb<'searchCampaigns'> = async (ctx, { query }) => {
  const { limit = limits.pageDefault, status = null, q = '' } = query
  const binding = [ctx.workspaceId, 'campaigns/search', status, q]
  const before = readCursor(query.cursor, binding)?.id ?? null
  const ids = await searchCampaignIds(ctx.db, ctx.workspaceId, { text: q.trim(), status, most: limit + 1, before })
  const rows = await campaignsById(ctx.db, ctx.workspaceId, ids)
  const place = (row: CampaignRow) => ({ at: rfc3339(row.createdAt), id: row.id })
  const show = (row: CampaignRow) => ({ ...asTyped(row, ctx.language), unfinished: row.unfinished })
  return { body: pageOf(rows, { limit, binding, place, show }) }
}
