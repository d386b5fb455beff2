/**
 * Sends a campaign again to some of its recipients: to failed ones or to those in doubt, at a
 * user's request.
 */
import { ApiError, existing } from '../../contract/errors.ts'
import type { CampaignRun } from '../../contract/workspace/campaign-run.ts'
import type { Database } from '../../database/client/database.ts'
import { audienceOfCampaign } from '../../db/campaigns/campaign-audience.ts'
import { reopenCampaign, reopenPage, type Reopening } from '../../db/campaigns/campaign-control.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { reserveQuota } from '../../db/sending/quota.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import type { CallContext } from '../context.ts'
import { sendingStatus } from '../reputation/account-status.ts'
import { answerRun, recordCampaignAct } from './change-campaign.ts'
import { requireApprovalOf } from './approval/require-approval.ts'
import { refuseExpiredChange } from './expired-details.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/** Rows per transaction, so that others wait for it only briefly. */
const atOnce = 10_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

interface ReopenRequest {
  id: string
  which: Reopening
  act: 'campaign.retried' | 'campaign.released'
}

/** Throws `not_found`, `conflict`, `reputation_blocked`, and for failed ones `quota_exceeded`. */
export async function reopenRecipients(
  ctx: CallContext,
  request: ReopenRequest,
): Promise<{ body: { reopened: number; run: CampaignRun } }> {
  const before = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: request.id })
  await refuseExpiredChange(ctx, before)
  const { status, ...rates } = sendingStatus(await accountStatus(ctx.db, ctx.workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  let reopened = 0
  for (let after: string | null = beforeAll; after !== null;) {
    // One audit entry for all pages: written with the first page that reopens a recipient.
    const campaign = reopened === 0 ? before : null
    const page: { reopened: number; scannedTo: string | null } = await reopenNextPage(ctx, {
      ...request,
      ...{ after, campaign, unsent: before.progress.failed + before.progress.in_doubt },
    })
    reopened += page.reopened
    after = page.scannedTo
  }
  ctx.wake('campaign')
  const { body: run } = await answerRun(ctx, request.id)
  return { body: { reopened, run } }
}

function reopenNextPage(
  ctx: CallContext,
  {
    id,
    which,
    act,
    after,
    campaign,
    unsent,
  }: ReopenRequest & { after: string; campaign: CampaignRow | null; unsent: number },
): Promise<{ reopened: number; scannedTo: string | null }> {
  const { workspaceId } = ctx
  const key = { workspaceId, campaignId: id }
  return ctx.db.transaction(async (tx) => {
    const page = await reopenPage(tx, key, { which, after, max: atOnce })
    if (page.reopened === 0) return page
    // The quota of recipients in doubt was never given back.
    const reservation =
      which === 'failed' ? await reserveQuota(tx, workspaceId, page.reopened) : null
    if (reservation?.reserved === false)
      throw new ApiError('quota_exceeded', {
        needed: page.reopened,
        remaining: reservation.remaining,
      })
    if (!(await reopenCampaign(tx, key, reservation?.month ?? null)))
      await refuseState({ db: tx }, { workspaceId, id })
    await refuseWithoutTopic(tx, key)
    // With the run and the campaign locked; all pages count together, as they were asked for.
    await requireApprovalOf(tx, key, unsent)
    if (campaign) await recordCampaignAct(ctx, tx, { act, campaign })
    return page
  })
}

/**
 * Who left a topic is not known any more once it is deleted, and would be sent to. A campaign that
 * is sending keeps its topic.
 */
async function refuseWithoutTopic(tx: Database, key: CampaignKey): Promise<void> {
  const { topicId, topic } = existing(await audienceOfCampaign(tx, key), { id: key.campaignId })
  if (topicId !== null && topic === null)
    throw new ApiError('conflict', { id: key.campaignId, reason: 'topic_deleted' })
}
