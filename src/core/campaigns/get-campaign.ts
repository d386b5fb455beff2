/** GET /campaigns/{id}: the campaign, its status and its results. */
import { findCampaign } from './find-campaign.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import type { Verb } from '../verb.ts'

export const getCampaign: Verb<'getCampaign'> = async (ctx, { params }) => {
  return {
    body: presentCampaign(
      await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id }),
      ctx.language,
    ),
  }
}
