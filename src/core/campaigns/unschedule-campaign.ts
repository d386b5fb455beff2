/** POST /campaigns/{id}/unschedule: a scheduled campaign becomes a draft again. */
import { clearSchedule } from '../../db/campaigns/campaign-life.ts'
import type { Verb } from '../verb.ts'
import { answerCampaign, changeCampaign } from './change-campaign.ts'
import { refuseState } from './find-campaign.ts'

export const unscheduleCampaign: Verb<'unscheduleCampaign'> = async (ctx, { params: { id } }) => {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.unscheduled' },
    apply: async (tx) => {
      if (!(await clearSchedule(tx, { workspaceId, id })))
        await refuseState({ db: tx }, { workspaceId, id })
    },
  })
  return answerCampaign(ctx, id)
}
