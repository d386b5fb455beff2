/**
 * POST /campaigns/{id}/archive: a draft or a sent campaign stays readable, and no further action is
 * possible.
 */
import { markArchived } from '../../db/campaigns/campaign-life.ts'
import type { Verb } from '../verb.ts'
import { answerRun, changeCampaign } from './change-campaign.ts'
import { refuseState } from './find-campaign.ts'

export const archiveCampaign: Verb<'archiveCampaign'> = async (ctx, { params: { id } }) => {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.archived' },
    apply: async (tx) => {
      if (!(await markArchived(tx, { workspaceId, id })))
        await refuseState({ db: tx }, { workspaceId, id })
    },
  })
  return answerRun(ctx, id)
}
