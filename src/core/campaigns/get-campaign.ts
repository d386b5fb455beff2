/** GET /campaigns/{id}: the campaign, its status and its results. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { findCampaign } from './find-campaign.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'

export async function getCampaign(ctx: CallContext, { params }: InputOf<'getCampaign'>): Promise<AnswerOf<'getCampaign'>> {
  return { body: presentCampaign(await findCampaign(ctx, ctx.workspaceId, params.id), ctx.language) }
}
