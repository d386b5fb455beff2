/** POST /campaigns/{id}/duplicate: copies any campaign to a new draft. */
import type { Verb } from '../verb.ts'
import { answerCampaign } from './change-campaign.ts'
import { copyCampaign } from './copy-campaign.ts'

export const duplicateCampaign: Verb<'duplicateCampaign'> = async (
  ctx,
  { params: { id }, body: { name = null } },
) => {
  const { workspaceId } = ctx
  return answerCampaign(
    ctx,
    await ctx.db.transaction((tx) => copyCampaign({ ...ctx, db: tx }, { workspaceId, id, name })),
  )
}
