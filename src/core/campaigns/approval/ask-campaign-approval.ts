/**
 * POST /campaigns/{id}/approval: asks the other members to approve a campaign, for its content, its
 * audience and the number of recipients now.
 */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { storeApprovalRequest } from '../../../db/approvals/approvals.ts'
import { noteDraft } from '../../../db/campaigns/campaign-freeze.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { sendersOf } from '../../../db/workspaces/senders.ts'
import type { CallContext } from '../../context.ts'
import { signedInUser } from '../../signed-in-user.ts'
import type { Verb } from '../../verb.ts'
import { answerRun, recordCampaignAct } from '../change-campaign.ts'
import { findCampaign, refuseState } from '../find-campaign.ts'
import { countAudience } from '../preflight/check-audience.ts'
import { lockToChange } from '../lock-to-change.ts'
import { mailApprovers } from './mail-approvers.ts'
import { isFrozen, readSendApproval, requestKey } from './send-approval.ts'

/**
 * Throws `not_found`, `conflict`, `validation_error` where a send would, and what a count of the
 * audience throws.
 */
export const askCampaignApproval: Verb<'askCampaignApproval'> = async (ctx, { params, body }) => {
  const { workspaceId } = ctx
  const campaign = await findCampaign(ctx, { workspaceId, id: params.id })
  const key = { workspaceId, campaignId: campaign.id }
  const { rule, campaign: counted } = await readSendApproval(ctx.db, key)
  if (rule === null) refuse(key, 'approval_not_needed')
  if (counted.digest !== body.digest) refuse(key, 'approval_changed')
  const recipients = await countOf(ctx, campaign)
  if (recipients === 0) throw new ApiError('validation_error', { reason: 'no_recipients' })
  const mailed = await ctx.db.transaction(async (tx) => {
    await lockToChange(tx, key)
    const { status, digest, details, changedBy } = (await readSendApproval(tx, key)).campaign
    // The number is of what the request names.
    if (digest !== counted.digest || isFrozen(status) !== isFrozen(counted.status))
      refuse(key, 'approval_changed')
    const request = { digest, quantity: recipients, details, by: signedInUser(ctx) }
    await storeApprovalRequest(tx, requestKey(key, status), request)
    await noteDraft(tx, key, null)
    const act = 'campaign.approval_asked'
    await recordCampaignAct(ctx, tx, { act, campaign, details: { recipients, digest } })
    return mailApprovers(ctx, tx, { campaign, recipients, changedBy })
  })
  ctx.wake('transactional')
  const { body: run } = await answerRun(ctx, campaign.id)
  return { body: { mailed, run } }
}

/** Whom a send would reach now; of a list that is frozen, who failed or is in doubt. */
async function countOf(ctx: CallContext, row: CampaignRow): Promise<number> {
  const { id, status, unfinished, progress } = row
  const { workspaceId } = ctx
  if (isFrozen(status)) return progress.failed + progress.in_doubt
  if (status === 'archived' || unfinished) await refuseState(ctx, { workspaceId, id })
  await refuseWithoutSender(ctx, row)
  // What may be frozen may be approved, however long its audience takes.
  const key = { workspaceId, campaignId: id }
  return (await countAudience(ctx, { ...key, seconds: segmentLimits.freezeSecondsMax })).reachable
}

/** Nobody approves what a send refuses. */
async function refuseWithoutSender(ctx: CallContext, { fromEmail }: CampaignRow): Promise<void> {
  const senders = await sendersOf(ctx.db, ctx.workspaceId)
  if (!senders.some(({ email }) => email === fromEmail))
    throw new ApiError('validation_error', { reason: 'no_sender' })
}

function refuse({ campaignId: id }: CampaignKey, reason: string): never {
  throw new ApiError('conflict', { id, reason })
}
