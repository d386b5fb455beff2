/**
 * DELETE /campaigns/{id}: deletes a campaign that never left. Its audit entries, its test
 * mails and its images stay.
 */
import { deleteApproval } from '../../db/approvals/approvals.ts'
import { deleteUnsent } from '../../db/campaigns/campaign-life.ts'
import type { CallContext } from '../context.ts'
import type { Verb } from '../verb.ts'
import { approvalKey } from './approval/send-approval.ts'
import { changeCampaign } from './change-campaign.ts'
import { refuseState } from './find-campaign.ts'

export const deleteCampaign: Verb<'deleteCampaign'> = async (ctx, { params: { id } }) => {
  await deleteDraft(ctx, id)
  return { body: { object: 'campaign', id, deleted: true } }
}

/** Throws `not_found`, and `conflict` for a campaign that is no draft. */
export async function deleteDraft(ctx: CallContext, id: string): Promise<void> {
  const { workspaceId } = ctx
  await changeCampaign(ctx, {
    ...{ id, act: 'campaign.deleted' },
    apply: async (tx) => {
      if (!(await deleteUnsent(tx, { workspaceId, id })))
        await refuseState({ db: tx }, { workspaceId, id })
      await deleteApproval(tx, approvalKey({ workspaceId, campaignId: id }))
    },
  })
}
