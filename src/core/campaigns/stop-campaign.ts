/** What people do to a campaign on its way: pause it, let it go on, end it, or take it back before the first mail. */
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

/** When it answers, nobody is claimed any more; what is at the provider by then still leaves. Throws `not_found`, `conflict`. */
export async function pauseCampaign(ctx: Parts, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    if (!(await pauseBatches(tx, { workspaceId, campaignId: id }, 'person'))) refuse(before)
    await runInSameTransaction(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}

/**
 * Goes on where it stood. A person has looked at the rates: they are judged anew from here. Throws `not_found`, `conflict`, and
 * `reputation_blocked` while the workspace is suspended.
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

/** The rest of the list is settled as failed, `cancelled`; it is `sent` once what is at the provider has ended. Throws `not_found`, `conflict`. */
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
  // Should we be lost now, the workers go on with it.
  await finalizeCancelledRest(ctx, key)
  await completeIfDone(ctx, key)
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/** Within the undo window: a draft again, its list gone, its quota given back. Throws `not_found`, and `conflict` when it is too late. */
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
