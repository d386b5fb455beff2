/**
 * Pauses a campaign when its rates exceed the thresholds, when its first recipients failed too
 * often, when its first hundred refusals all name one requirement, or when its workspace is
 * suspended. The workspace is notified.
 */
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { firstRefusalsMax } from '../../db/campaigns/campaign-refusals.ts'
import { pauseBatches } from '../../db/campaigns/campaign-control.ts'
import { campaignRun, passCanary } from '../../db/campaigns/campaign-work.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { refusalCauseOf } from '../../mail/reports/refusals/find-refusal-cause.ts'
import type { Context } from '../context.ts'
import { notifyCampaignPause } from './notify-campaign-pause.ts'

export async function pauseOnHighFailureRate(
  ctx: Pick<Context, 'db' | 'log' | 'makeId' | 'settings' | 'wake'>,
  key: CampaignKey,
): Promise<void> {
  const run = await campaignRun(ctx.db, key)
  if (!run) return
  const { exceeds: suspendedBy, slug } = await accountStatus(ctx.db, key.workspaceId)
  const ownReason = run.exceeds !== null && run.isCanaryDue ? 'canary' : run.exceeds
  const sharedReason = haveSharedRequirement(run.firstRefusals ?? {}) ? 'refusals' : null
  const reason = suspendedBy === null ? (ownReason ?? sharedReason) : 'reputation'
  if (reason !== null) {
    const isPaused = await ctx.db.transaction(async (tx) => {
      const isFirst = await pauseBatches(tx, key, reason)
      // The suspension has a notice of its own.
      if (isFirst && reason !== 'reputation')
        await notifyCampaignPause(ctx, tx, { key, reason, slug })
      return isFirst
    })
    if (!isPaused) return
    ctx.log.warn({ ...key, ...run, reason }, 'A campaign was paused: its mail fails too often')
    ctx.wake('transactional')
  } else if (run.isCanaryDue) await passCanary(ctx.db, key)
}

/** Whether there were a hundred, and each names the same requirement, at whatever provider. */
function haveSharedRequirement(firstRefusals: Record<string, number>): boolean {
  const total = Object.values(firstRefusals).reduce((sum, count) => sum + count, 0)
  const required = new Set(
    Object.keys(firstRefusals).map((cause) => refusalCauseOf(cause)?.requirement ?? null),
  )
  return total >= firstRefusalsMax && required.size === 1 && !required.has(null)
}
