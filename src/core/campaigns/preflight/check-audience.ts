/**
 * Checks a campaign's audience: the number of reachable and held back subscribers, with reasons,
 * and whether reputation and quota allow the send.
 */
import { notReachedCountedMax } from '../../../contract/workspace/campaign-run.ts'
import { audienceCounts } from '../../../db/audience/audience-counts.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import type { Context } from '../../context.ts'
import { ok, problem, type Finding } from './finding.ts'
import { sendingStatus } from '../../reputation/account-status.ts'

/** The number of reachable subscribers, and the others by reason. */
export interface Audience {
  /** The exact number. */
  reachable: number
  /** Each counted up to `notReachedCountedMax`; `more`: there are more. */
  notReached: { reason: string; count: number; more: boolean }[]
}

export async function countAudience(
  { db }: Pick<Context, 'db'>,
  campaign: CampaignKey,
): Promise<Audience> {
  const { reachable, notReached } = await audienceCounts(db, campaign, notReachedCountedMax)
  return {
    reachable,
    notReached: notReached.map(({ why, ...counted }) => ({
      reason: reasonOf(why),
      ...counted,
    })),
  }
}

const reasonOf = (why: string): string =>
  why === 'platform'
    ? 'suppressed by the platform'
    : why === 'topic'
      ? 'not subscribed to its topic'
      : why

export async function checkAudience(
  { db }: Pick<Context, 'db'>,
  { workspaceId, reachable, notReached }: { workspaceId: number } & Audience,
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
    ...notReached.map(({ reason, count, more }) =>
      ok('audience', more ? 'held_back_many' : 'held_back', { reason, count }),
    ),
  ]
}
