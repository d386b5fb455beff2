/**
 * Maintains a running campaign: releases lost leases, counts hand-offs, pauses it at high failure
 * rates, finalizes a cancelled one, completes it.
 */
import { releaseLostRecipients } from '../../db/campaigns/campaign-leases.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { finalizeCancelled } from '../../db/campaigns/campaign-control.ts'
import {
  completeCampaign,
  countHandOffs,
  type CampaignAtWork,
} from '../../db/campaigns/campaign-work.ts'
import { giveBackQuota } from '../../db/sending/quota.ts'
import type { ScanMark } from '../../ground/scan-mark.ts'
import type { Context } from '../context.ts'
import { publishCampaign } from '../events/campaign-events.ts'
import { publishFailed } from '../events/status-events.ts'
import { pauseOnHighFailureRate } from './pause-on-high-failure-rate.ts'

/** Rows per statement: tens of milliseconds. */
const atOnce = 20_000
const cancelledAtOnce = 10_000

type Parts = Pick<Context, 'db' | 'log' | 'makeId' | 'wake' | 'settings' | 'clock'>

/**
 * `lost`: up to when recipients whose holder was lost were looked for. Null if this is not to be
 * done now.
 */
export async function maintainCampaign(
  ctx: Parts,
  {
    key,
    isCanceled,
    lost,
  }: { key: CampaignKey; lost: ScanMark | null } & Pick<CampaignAtWork, 'isCanceled'>,
): Promise<void> {
  if (lost) while (await completeLost(ctx, { key, lost }));
  if (isCanceled) await finalizeCancelledRest(ctx, key)
  await countHandOffs(ctx.db, key)
  await pauseOnHighFailureRate(ctx, key)
  await completeIfDone(ctx, key)
}

/**
 * Releases recipients whose worker was lost; failures are published in the same transaction.
 * Returns true when more may be left.
 */
async function completeLost(
  ctx: Pick<Context, 'db' | 'wake' | 'clock'>,
  { key, lost }: { key: CampaignKey; lost: ScanMark },
): Promise<boolean> {
  const { workspaceId, campaignId } = key
  const requestedAtMs = ctx.clock.monotonicMs()
  const from = lost.from()
  const { more, pending, passedTo } = await ctx.db.transaction(async (tx) => {
    const settled = await releaseLostRecipients(tx, key, atOnce, from)
    const failed = settled.failed.map((subscriberId) => ({ campaignId, subscriberId }))
    return { ...settled, pending: await publishFailed(tx, workspaceId, failed) }
  })
  if (passedTo !== null) lost.passed(passedTo, { from, requestedAtMs })
  if (pending > 0) ctx.wake('webhook')
  return more
}

/**
 * Finalizes the rest of a cancelled campaign in pieces. If the process stops, the next worker
 * continues.
 */
export async function finalizeCancelledRest(
  ctx: Pick<Context, 'db'>,
  key: CampaignKey,
): Promise<void> {
  while ((await finalizeCancelled(ctx.db, key, cancelledAtOnce)) > 0);
}

/**
 * Sets `sent` when nothing is pending or leased. The quota of unsent mails goes back to the month
 * that was debited. Hand-offs that were recorded since they were last counted are counted here,
 * because nothing maintains a campaign that is `sent`.
 */
export async function completeIfDone(
  ctx: Pick<Context, 'db' | 'wake' | 'settings'>,
  key: CampaignKey,
): Promise<void> {
  const pending = await ctx.db.transaction(async (tx) => {
    const ended = await completeCampaign(tx, key)
    if (ended) await countHandOffs(tx, key)
    if (ended && ended.unsent > 0)
      await giveBackQuota(tx, key.workspaceId, ended.month, ended.unsent)
    return ended ? publishCampaign(tx, key, ctx.settings.language) : 0
  })
  if (pending > 0) ctx.wake('webhook')
}
