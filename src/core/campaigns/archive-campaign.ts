/** Puts a draft or a sent campaign away: it is read as before, and nothing more is done with it. */
import { markArchived } from '../../db/campaign-life.ts'
import type { CampaignRow } from '../../db/campaigns.ts'
import type { Context } from '../context.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/** Throws `not_found`, or `conflict` for one that is scheduled, on its way or archived already. */
export async function archiveCampaign(ctx: Pick<Context, 'db'>, workspaceId: number, id: string): Promise<CampaignRow> {
  await findCampaign(ctx, workspaceId, id)
  if (!(await markArchived(ctx.db, { workspaceId, id }))) await refuseState(ctx, workspaceId, id)
  return findCampaign(ctx, workspaceId, id)
}
