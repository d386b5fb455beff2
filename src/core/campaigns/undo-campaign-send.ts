/**
 * POST /campaigns/{id}/undo: undoes a send before its first mail leaves. The campaign is a draft
 * again, without a list, and its quota is given back.
 */
import { undoFreeze } from '../../db/campaigns/campaign-control.ts'
import { giveBackQuota } from '../../db/sending/quota.ts'
import type { Verb } from '../verb.ts'
import { answerRun, changeCampaign, refuseChange } from './change-campaign.ts'

export const undoCampaignSend: Verb<'undoCampaignSend'> = async (ctx, { params: { id } }) => {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.undone' },
    apply: async (tx, before) => {
      const undone = await undoFreeze(tx, { workspaceId, campaignId: id })
      if (!undone) refuseChange(before)
      else await giveBackQuota(tx, workspaceId, undone.month, undone.recipients)
    },
  })
  return answerRun(ctx, id)
}
