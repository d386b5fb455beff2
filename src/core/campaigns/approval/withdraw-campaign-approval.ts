/** DELETE /campaigns/{id}/approval: takes back an approval, or the request for one. */
import { ApiError } from '../../../contract/errors.ts'
import { deleteApproval } from '../../../db/approvals/approvals.ts'
import type { Verb } from '../../verb.ts'
import { answerRun, changeCampaign } from '../change-campaign.ts'
import { refuseState } from '../find-campaign.ts'
import { lockToChange } from '../lock-to-change.ts'
import { approvalKey } from './send-approval.ts'

/** Throws `not_found`, and `conflict` where nobody asked or its list is frozen. */
export const withdrawCampaignApproval: Verb<'withdrawCampaignApproval'> = async (
  ctx,
  { params: { id } },
) => {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.approval_withdrawn' },
    apply: async (tx) => {
      const key = { workspaceId, campaignId: id }
      const { status } = await lockToChange(tx, key)
      // Who approved what has been sent stays known.
      if (status !== 'draft' && status !== 'scheduled')
        await refuseState({ db: tx }, { workspaceId, id })
      if (!(await deleteApproval(tx, approvalKey(key))))
        throw new ApiError('conflict', { id, reason: 'approval_not_asked' })
    },
  })
  return answerRun(ctx, id)
}
