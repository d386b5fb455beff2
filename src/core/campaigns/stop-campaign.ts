/** What people do to a campaign on its way: pause it, let it go on, end it, or take it back before the first mail. */
import { ApiError } from '../../contract/errors.ts'
import { cancelWalk, closeWalk, openWalk, undoFreeze } from '../../db/campaign-control.ts'
import type { CampaignRow } from '../../db/campaigns.ts'
import { giveBackQuota } from '../../db/quota.ts'
import { workspaceStanding } from '../../db/standing.ts'
import type { Context } from '../context.ts'
import { showSending } from '../workspaces/get-account.ts'
import { writeAlong } from './along.ts'
import type { Along } from './along.ts'
import { settleCampaign, settleRest } from './care-for-campaign.ts'
import { findCampaign } from './find-campaign.ts'

type Parts = Pick<Context, 'db' | 'wake'> & Along

/** When it answers, nobody is claimed any more; what is at the provider by then still leaves. Throws `not_found`, `conflict`. */
export async function pauseCampaign(ctx: Parts, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    if (!(await closeWalk(tx, { workspaceId, campaignId: id }, 'person'))) refuse(before)
    await writeAlong(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}

/**
 * Goes on where it stood. A person has looked at the rates: they are judged anew from here. Throws `not_found`, `conflict`, and
 * `reputation_blocked` while the workspace is suspended.
 */
export async function resumeCampaign(ctx: Parts, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  const { status, ...rates } = showSending(await workspaceStanding(ctx.db, workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  await ctx.db.transaction(async (tx) => {
    if (!(await openWalk(tx, { workspaceId, campaignId: id }))) refuse(before)
    await writeAlong(ctx, tx, before)
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
    if (!(await cancelWalk(tx, key))) refuse(before)
    await writeAlong(ctx, tx, before)
  })
  // Should we be lost now, the workers go on with it.
  await settleRest(ctx, key)
  await settleCampaign(ctx, key)
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/** Within the undo window: a draft again, its list gone, its quota given back. Throws `not_found`, and `conflict` when it is too late. */
export async function undoSend(ctx: Pick<Context, 'db'> & Along, workspaceId: number, id: string): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    const undone = await undoFreeze(tx, { workspaceId, campaignId: id })
    if (!undone) refuse(before)
    else await giveBackQuota(tx, workspaceId, undone.month, undone.recipients)
    await writeAlong(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}

function refuse({ id, status, pausedAt, canceledAt }: CampaignRow): never {
  throw new ApiError('conflict', { id, status, paused: pausedAt !== null, canceled: canceledAt !== null })
}
