/**
 * POST /campaigns/{id}/cancel: fails the remaining recipients as `cancelled`. The campaign is
 * `sent` once the mail at the provider has ended.
 */
import { cancelBatches } from '../../db/campaigns/campaign-control.ts'
import type { Verb } from '../verb.ts'
import { answerCampaign, changeCampaign, refuseChange } from './change-campaign.ts'
import { completeIfDone, finalizeCancelledRest } from './maintain-campaign.ts'

export const cancelCampaign: Verb<'cancelCampaign'> = async (ctx, { params: { id } }) => {
  const key = { workspaceId: ctx.workspaceId, campaignId: id }
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.canceled' },
    apply: async (tx, before) => {
      if (!(await cancelBatches(tx, key))) refuseChange(before)
    },
  })
  // If this process stops now, the workers continue.
  await finalizeCancelledRest(ctx, key)
  await completeIfDone(ctx, key)
  ctx.wake('campaign')
  return answerCampaign(ctx, id)
}
