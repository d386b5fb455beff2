/** Controls a running campaign: pause, resume, cancel, or undo before the first mail. */
import { ApiError } from '../../contract/errors.ts'
import { cancelBatches, pauseBatches, resumeBatches, undoFreeze } from '../../db/campaigns/campaign-control.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { giveBackQuota } from '../../db/sending/quota.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import type { Context } from '../context.ts'
import { runInSameTransaction } from './in-the-same-transaction.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'
import { completeIfDone, finalizeCancelledRest } from './maintain-campaign.ts'
import { findCampaign } from './find-campaign.ts'
import { sendingStatus } from '../reputation/account-status.ts'

type Parts = Pick<Context, 'db' | 'wake'> & InSameTransaction

/** After it returns, no recipient is claimed any more; mail at the provider still leaves. Throws `not_found`, `conflict`. */
export async function pauseCampaign(ctx: Parts, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    if (!(await pauseBatches(tx, { workspaceId, campaignId: id }, 'person'))) refuse(before)
    await runInSameTransaction(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}

/**
 * Resumes where it stopped. A user has seen the rates, so they count again from here.
 * Throws `not_found`, `conflict`, and `reputation_blocked` while the workspace is suspended.
 */
export async function resumeCampaign(ctx: Parts, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  const { status, ...rates } = sendingStatus(await accountStatus(ctx.db, workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  await ctx.db.transaction(async (tx) => {
    if (!(await resumeBatches(tx, { workspaceId, campaignId: id }))) refuse(before)
    await runInSameTransaction(ctx, tx, before)
  })
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/**
 * Fails the remaining recipients as `cancelled`. The campaign is `sent` once the mail at the provider has ended. Throws
 * `not_found`, `conflict`.
 */
export async function cancelCampaign(
  ctx: Parts & Pick<Context, 'settings'>,
  workspaceId: number,
  id: string,
): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  const key = { workspaceId, campaignId: id }
  await ctx.db.transaction(async (tx) => {
    if (!(await cancelBatches(tx, key))) refuse(before)
    await runInSameTransaction(ctx, tx, before)
  })
  // If this process stops now, the workers continue.
  await finalizeCancelledRest(ctx, key)
  await completeIfDone(ctx, key)
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/**
 * Undoes a send within the undo window: it is a draft again, without a list, and its quota is given back.
 * Throws `not_found`, and `conflict` when it is too late.
 */
export async function undoSend(
  ctx: Pick<Context, 'db'> & InSameTransaction,
  workspaceId: number,
  id: string,
): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    const undone = await undoFreeze(tx, { workspaceId, campaignId: id })
    if (!undone) refuse(before)
    else await giveBackQuota(tx, workspaceId, undone.month, undone.recipients)
    await runInSameTransaction(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}

function refuse({ id, status, pausedAt, canceledAt }: CampaignRow): never {
  throw new ApiError('conflict', { id, status, paused: pausedAt !== null, canceled: canceledAt !== null })
}
