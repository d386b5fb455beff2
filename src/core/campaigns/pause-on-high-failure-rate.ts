/**
 * Pauses a campaign when its rates exceed the thresholds, when its first recipients failed too often, or when its workspace is
 * suspended.
 */
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-claims.ts'
import { pauseBatches } from '../../db/campaigns/campaign-control.ts'
import type { PauseReason } from '../../db/campaigns/campaign-control.ts'
import { campaignRun, passCanary } from '../../db/campaigns/campaign-work.ts'
import type { CampaignRunRow } from '../../db/campaigns/campaign-work.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import type { Context } from '../context.ts'
import { sendingStatus } from '../reputation/account-status.ts'

export async function pauseOnHighFailureRate(ctx: Pick<Context, 'db' | 'log'>, key: CampaignKey): Promise<void> {
  const flight = await campaignRun(ctx.db, key)
  if (!flight) return
  const reason = (await isSuspended(ctx, key)) ? 'reputation' : whyToStop(flight)
  if (reason !== null) {
    if (await pauseBatches(ctx.db, key, reason)) ctx.log.warn({ ...key, ...flight, reason }, 'A campaign was paused by itself')
  } else if (flight.isCanaryDue) await passCanary(ctx.db, key)
}

/**
 * Rates must exceed the threshold, with at least the workspace's minimum counts, as for reputation. The first recipients have no
 * minimum counts.
 */
export function whyToStop(flight: CampaignRunRow): PauseReason | null {
  const { handOffs, bounces, complaints } = flight
  if (flight.isCanaryDue && (bounces > bounceRateMax * handOffs || complaints > complaintRateMax * handOffs)) return 'canary'
  if (handOffs < flight.handOffsMin) return null
  if (bounces >= flight.bouncesMin && bounces > bounceRateMax * handOffs) return 'bounce_rate'
  if (complaints >= flight.complaintsMin && complaints > complaintRateMax * handOffs) return 'complaint_rate'
  return null
}

async function isSuspended(ctx: Pick<Context, 'db'>, { workspaceId }: CampaignKey): Promise<boolean> {
  return sendingStatus(await accountStatus(ctx.db, workspaceId)).status === 'suspended'
}
