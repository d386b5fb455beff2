/** Whom it would reach, who is held back and why, and whether reputation and quota allow it. */
import { heldBackCountedMax } from '../../../contract/workspace/campaign-run.ts'
import { audienceCounts } from '../../../db/subscribers/audience-counts.ts'
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import type { Context } from '../../context.ts'
import { ok, problem } from './finding.ts'
import type { Finding } from './finding.ts'
import { sendingStatus } from '../../reputation/account-status.ts'

/** Who would be reached, and the others by why they are not. */
export interface Audience {
  /** Exactly. */
  reachable: number
  /** Each counted up to `heldBackCountedMax`; `more`: there are more than these. */
  heldBack: { reason: string; count: number; more: boolean }[]
}

export async function countAudience({ db }: Pick<Context, 'db'>, workspaceId: number): Promise<Audience> {
  const { reachable, heldBack } = await audienceCounts(db, workspaceId, heldBackCountedMax)
  return {
    reachable,
    heldBack: heldBack.map(({ why, ...counted }) => ({
      reason: why === 'platform' ? 'suppressed by the platform' : why,
      ...counted,
    })),
  }
}

export async function checkAudience(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  { reachable, heldBack }: Audience,
): Promise<Finding[]> {
  const standing = await accountStatus(db, workspaceId)
  const { status, bounce_rate, complaint_rate } = sendingStatus(standing)
  const { monthlyQuota, used } = standing
  const remaining = Math.max(0, (monthlyQuota ?? 0) - used)
  return [
    status === 'active' ? ok('reputation') : problem('reputation', 'reputation_blocked', { bounce_rate, complaint_rate }),
    monthlyQuota === null
      ? ok('quota', 'no_limit', { needed: reachable })
      : reachable > remaining
        ? problem('quota', 'quota_exceeded', { needed: reachable, remaining })
        : ok('quota', 'good', { needed: reachable, remaining }),
    reachable === 0 ? problem('audience', 'no_recipients') : ok('audience', 'good', { reachable }),
    ...heldBack.map(({ reason, count, more }) => ok('audience', more ? 'held_back_many' : 'held_back', { reason, count })),
  ]
}
