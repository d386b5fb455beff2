/** POST /campaigns/{id}/approve: a second member approves a campaign as they read it. */
import { approve } from '../../approvals/approve.ts'
import { signedInUser } from '../../signed-in-user.ts'
import type { Verb } from '../../verb.ts'
import { answerRun, recordCampaignAct } from '../change-campaign.ts'
import { findCampaign, refuseState } from '../find-campaign.ts'
import { lockToChange } from '../lock-to-change.ts'
import { readSendApproval, requestKey } from './send-approval.ts'

/** Throws `not_found`, and `conflict` as `approve()` does. */
export const approveCampaign: Verb<'approveCampaign'> = async (ctx, { params, body }) => {
  const { workspaceId } = ctx
  const campaign = await findCampaign(ctx, { workspaceId, id: params.id })
  const key = { workspaceId, campaignId: campaign.id }
  await ctx.db.transaction(async (tx) => {
    // A change waits for the approval, which it then voids.
    const { status, unfinished } = await lockToChange(tx, key)
    // Its page shows what is being typed, and the digest is of what was finished before.
    if (unfinished) await refuseState({ db: tx }, { workspaceId, id: campaign.id })
    const { digest, changedBy } = (await readSendApproval(tx, key)).campaign
    const { quantity, askedByEmail } = await approve(tx, requestKey(key, status), {
      ...{ by: signedInUser(ctx), agreed: body.digest, digest },
      changedBy,
    })
    const details = { recipients: quantity, digest, asked_by: askedByEmail }
    await recordCampaignAct(ctx, tx, { act: 'campaign.approved', campaign, details })
  })
  return answerRun(ctx, campaign.id)
}
