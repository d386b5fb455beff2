/** Whom it would reach, who is held back and why, and whether reputation and quota allow it. */
import { audienceCounts } from '../../../db/audience-counts.ts'
import type { AudienceCounts } from '../../../db/audience-counts.ts'
import { workspaceStanding } from '../../../db/standing.ts'
import type { Context } from '../../context.ts'
import { showSending } from '../../workspaces/get-account.ts'
import { ok, problem } from './finding.ts'
import type { Finding } from './finding.ts'

/** Who would be reached, and the others by why they are not. */
export interface Audience {
  reachable: number
  heldBack: { reason: string; count: number }[]
}

export async function countAudience({ db }: Pick<Context, 'db'>, workspaceId: number): Promise<Audience> {
  const { statuses, suppressed } = await audienceCounts(db, workspaceId)
  const subscribed = statuses.find(({ status }) => status === 'subscribed')?.count ?? 0
  return {
    reachable: subscribed - suppressed.reduce((sum, { count }) => sum + count, 0),
    heldBack: [
      ...statuses.filter(({ status }) => status !== 'subscribed').map(({ status, count }) => ({ reason: status, count })),
      ...suppressed.map((entry) => ({ reason: reasonOf(entry), count: entry.count })),
    ],
  }
}

const reasonOf = ({ reason, scope }: AudienceCounts['suppressed'][number]): string =>
  scope === 'platform' ? 'suppressed by the platform' : `suppressed: ${reason}`

export async function checkAudience(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  { reachable, heldBack }: Audience,
): Promise<Finding[]> {
  const standing = await workspaceStanding(db, workspaceId)
  const { status, bounce_rate, complaint_rate } = showSending(standing)
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
    ...heldBack.map(({ reason, count }) => ok('audience', 'held_back', { reason, count })),
  ]
}
