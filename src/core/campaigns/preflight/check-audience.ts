/**
 * Checks a campaign's audience: the number of reachable and held back subscribers, with reasons,
 * and whether reputation and quota allow the send.
 */
import { exclusionReasons } from '../../../contract/workspace/campaign-audience.ts'
import { notReachedCountedMax } from '../../../contract/workspace/campaign-run.ts'
import { audienceCounts } from '../../../db/audience/audience-counts.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import type { Context } from '../../context.ts'
import { findCampaign } from '../find-campaign.ts'
import { ok, problem, type Finding } from './finding.ts'
import { countTargeted, reasonNamed, type Counting } from '../audience/count-targeted.ts'
import { sendingStatus } from '../../reputation/account-status.ts'

/** The number of reachable subscribers, and the others by reason. */
export interface ReachedAudience {
  /** The exact number. */
  reachable: number
  /**
   * Of everybody subscribed each counted up to `notReachedCountedMax`; `more`: there are more. Of
   * an audience exact. `name`: of an exclusion.
   */
  notReached: { reason: string; name: string | null; count: number; more: boolean }[]
}

/**
 * Throws `conflict` where an audience takes longer than `seconds`, by default those of a page, and
 * `rate_limit_exceeded`.
 */
export const countAudience = async (
  ctx: Counting,
  { seconds, ...key }: CampaignKey & { seconds?: number },
): Promise<ReachedAudience> => {
  const { isTargeted } = await findCampaign(ctx, { ...key, id: key.campaignId })
  const targeted = isTargeted
    ? await countTargeted(ctx, { ...key, ...(seconds && { seconds }) })
    : null
  return targeted ?? countEverybody(ctx.db, key.workspaceId)
}

async function countEverybody(db: Context['db'], workspaceId: number): Promise<ReachedAudience> {
  const { reachable, notReached } = await audienceCounts(db, workspaceId, notReachedCountedMax)
  return {
    reachable,
    notReached: notReached.map(({ why, ...counted }) => ({
      ...{ reason: reasonNamed(why), name: null },
      ...counted,
    })),
  }
}

const leftOut = ({ reason, name, count, more }: ReachedAudience['notReached'][number]): Finding => {
  const exclusion = exclusionReasons.find((each) => each === reason)
  return exclusion && name !== null
    ? ok('audience', exclusion, { name, count })
    : ok('audience', more ? 'held_back_many' : 'held_back', { reason, count })
}

export async function checkAudience(
  { db }: Pick<Context, 'db'>,
  { workspaceId, reachable, notReached }: { workspaceId: number } & ReachedAudience,
): Promise<Finding[]> {
  const account = await accountStatus(db, workspaceId)
  const { status, bounce_rate, complaint_rate } = sendingStatus(account)
  const { monthlyQuota, used } = account
  const remaining = Math.max(0, (monthlyQuota ?? 0) - used)
  return [
    status === 'active'
      ? ok('reputation')
      : problem('reputation', 'reputation_blocked', { bounce_rate, complaint_rate }),
    monthlyQuota === null
      ? ok('quota', 'no_limit', { needed: reachable })
      : reachable > remaining
        ? problem('quota', 'quota_exceeded', { needed: reachable, remaining })
        : ok('quota', 'good', { needed: reachable, remaining }),
    reachable === 0 ? problem('audience', 'no_recipients') : ok('audience', 'good', { reachable }),
    ...notReached.map(leftOut),
  ]
}
