/**
 * Pauses a campaign when its rates exceed the thresholds, when its first recipients failed too often, or when its workspace is
 * suspended.
 */
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { pauseBatches } from '../../db/campaigns/campaign-control.ts'
import { campaignRun, passCanary } from '../../db/campaigns/campaign-work.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import type { Context } from '../context.ts'

export async function pauseOnHighFailureRate(ctx: Pick<Context, 'db' | 'log'>, key: CampaignKey): Promise<void> {
  const run = await campaignRun(ctx.db, key)
  if (!run) return
  const { exceeds: suspendedBy } = await accountStatus(ctx.db, key.workspaceId)
  const ownReason = run.exceeds !== null && run.isCanaryDue ? 'canary' : run.exceeds
  const reason = suspendedBy === null ? ownReason : 'reputation'
  if (reason !== null) {
    if (await pauseBatches(ctx.db, key, reason))
      ctx.log.warn({ ...key, ...run, reason }, 'A campaign was paused: its failure rate is too high')
  } else if (run.isCanaryDue) await passCanary(ctx.db, key)
}
