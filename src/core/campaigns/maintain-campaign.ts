/** Looks after a campaign on its way: holders that were lost, rates in flight, the rest of a cancelled one, and the end. */
import { releaseLostRecipients } from '../../db/campaigns/campaign-claims.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-claims.ts'
import { finalizeCancelled } from '../../db/campaigns/campaign-control.ts'
import { completeCampaign, countHandOffs } from '../../db/campaigns/campaign-work.ts'
import type { CampaignAtWork } from '../../db/campaigns/campaign-work.ts'
import { giveBackQuota } from '../../db/sending/quota.ts'
import type { Context } from '../context.ts'
import { publishCampaign } from '../events/campaign-events.ts'
import { publishFailed } from '../events/status-events.ts'
import { pauseOnHighFailureRate } from './pause-on-high-failure-rate.ts'

/** Rows that one statement looks at: tens of milliseconds. */
const atOnce = 20_000
const cancelledAtOnce = 10_000

type Parts = Pick<Context, 'db' | 'log' | 'wake' | 'settings'>

/** `lost`: also those are looked for whose holder was lost. */
export async function maintainCampaign(
  ctx: Parts,
  key: CampaignKey,
  { isCanceled }: Pick<CampaignAtWork, 'isCanceled'>,
  { lost }: { lost: boolean },
): Promise<void> {
  if (lost) while (await settleLost(ctx, key));
  if (isCanceled) await finalizeCancelledRest(ctx, key)
  await countHandOffs(ctx.db, key)
  await pauseOnHighFailureRate(ctx, key)
  await completeIfDone(ctx, key)
}

/** Whose worker was lost: the failure of a recipient is published in the same transaction. True: more are to be looked at. */
async function settleLost(ctx: Pick<Context, 'db' | 'wake'>, key: CampaignKey): Promise<boolean> {
  const { workspaceId, campaignId } = key
  const { more, owed } = await ctx.db.transaction(async (tx) => {
    const settled = await releaseLostRecipients(tx, key, atOnce)
    const failed = settled.failed.map((subscriberId) => ({ campaignId, subscriberId }))
    return { more: settled.more, owed: await publishFailed(tx, workspaceId, failed) }
  })
  if (owed > 0) ctx.wake('webhook')
  return more
}

/** Settles what a cancelled campaign has left, in pieces; the next worker goes on with what is left of it. */
export async function finalizeCancelledRest(ctx: Pick<Context, 'db'>, key: CampaignKey): Promise<void> {
  while ((await finalizeCancelled(ctx.db, key, cancelledAtOnce)) > 0);
}

/** `sent` once nothing is pending or leased; what was not sent goes back to the quota, to the month that was debited. */
export async function completeIfDone(ctx: Pick<Context, 'db' | 'wake' | 'settings'>, key: CampaignKey): Promise<void> {
  const owed = await ctx.db.transaction(async (tx) => {
    const ended = await completeCampaign(tx, key)
    if (ended && ended.unsent > 0) await giveBackQuota(tx, key.workspaceId, ended.month, ended.unsent)
    return ended ? publishCampaign(tx, key, ctx.settings.language) : 0
  })
  if (owed > 0) ctx.wake('webhook')
}
