/** DELETE /campaigns/{id}/approval: takes back an approval, or the request for one. */
import { ApiError } from '../../../contract/errors.ts'
import { deleteApproval } from '../../../db/approvals/approvals.ts'
import type { Verb } from '../../verb.ts'
import { answerRun, changeCampaign } from '../change-campaign.ts'
import { approvalKey } from './send-approval.ts'

/** Throws `not_found`, and `conflict` where nobody asked. */
export const withdrawCampaignApproval: Verb<'withdrawCampaignApproval'> = async (
  ctx,
  { params: { id } },
) => {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.approval_withdrawn' },
    apply: async (tx) => {
      if (!(await deleteApproval(tx, approvalKey({ workspaceId, campaignId: id }))))
        throw new ApiError('conflict', { id, reason: 'approval_not_asked' })
    },
  })
  return answerRun(ctx, id)
}
