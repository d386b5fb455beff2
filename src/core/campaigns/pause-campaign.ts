/**
 * POST /campaigns/{id}/pause: after it returns, no recipient is claimed any more; mail at the
 * provider still leaves.
 */
import { pauseBatches } from '../../db/campaigns/campaign-control.ts'
import type { Verb } from '../verb.ts'
import { answerRun, changeCampaign, refuseChange } from './change-campaign.ts'

export const pauseCampaign: Verb<'pauseCampaign'> = async (ctx, { params: { id } }) => {
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.paused' },
    apply: async (tx, before) => {
      if (!(await pauseBatches(tx, { workspaceId: ctx.workspaceId, campaignId: id }, 'person')))
        refuseChange(before)
    },
  })
  return answerRun(ctx, id)
}
