/**
 * POST /campaigns/{id}/resume: continues where the campaign stopped. A user has seen the rates of
 * failure, so they count again from here.
 */
import { ApiError } from '../../contract/errors.ts'
import { resumeBatches } from '../../db/campaigns/campaign-control.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { sendingStatus } from '../reputation/account-status.ts'
import type { Verb } from '../verb.ts'
import { answerRun, changeCampaign, refuseChange } from './change-campaign.ts'

/** Throws `reputation_blocked` while the workspace is suspended. */
export const resumeCampaign: Verb<'resumeCampaign'> = async (ctx, { params: { id } }) => {
  const { status, ...rates } = sendingStatus(await accountStatus(ctx.db, ctx.workspaceId))
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.resumed' },
    apply: async (tx, before) => {
      if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
      if (!(await resumeBatches(tx, { workspaceId: ctx.workspaceId, campaignId: id })))
        refuseChange(before)
    },
  })
  ctx.wake('campaign')
  return answerRun(ctx, id)
}
