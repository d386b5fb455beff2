/** GET /overview: what was sent and what became of it, the quota, whether the workspace may send, and its first steps. */
import type { AnswerOf } from '../../contract/operations.ts'
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'
import { countMailDay, mailDays, setUpOf } from '../../db/overview.ts'
import type { MailDayRow } from '../../db/overview.ts'
import type { CallContext } from '../context.ts'
import { standingNow } from './follow-standing.ts'
import { showSending, suspendedSince } from './get-account.ts'

/** How long counting may hold an answer up; what is not counted by then is shown as it was, or not yet. */
const countingMs = 200

type Caller = Pick<CallContext, 'db' | 'clock' | 'workspaceId' | 'providers'>

export async function getOverview(ctx: Caller): Promise<AnswerOf<'getOverview'>> {
  const [days, standing, steps] = await Promise.all([
    readDays(ctx),
    standingNow(ctx, ctx.workspaceId),
    setUpOf(ctx.db, ctx.workspaceId),
  ])
  const { plan, monthlyQuota, used, resetsAt, handOffs, bounces, complaints } = standing
  return {
    body: {
      object: 'overview',
      days: days.map(({ day, counts }) => ({ day, counts })),
      quota: {
        ...{ plan, limit: monthlyQuota, used },
        remaining: monthlyQuota === null ? null : Math.max(0, monthlyQuota - used),
        resets_at: resetsAt.toISOString(),
      },
      sending: {
        ...showSending(standing),
        suspended_since: suspendedSince(standing),
        ...{ hand_offs: handOffs, bounces, complaints },
        ...{ bounce_rate_max: bounceRateMax, complaint_rate_max: complaintRateMax },
        ...{ hand_offs_min: standing.handOffsMin, bounces_min: standing.bouncesMin, complaints_min: standing.complaintsMin },
      },
      steps,
      captures: ctx.providers.of(ctx.workspaceId).name === 'local-capture',
    },
  }
}

/** The newest days first: they are those that change, and that people look at. */
async function readDays(ctx: Caller): Promise<MailDayRow[]> {
  const days = await mailDays(ctx.db, ctx.workspaceId)
  const until = ctx.clock.monotonicMs() + countingMs
  for (const row of days.filter(isStale).toReversed()) {
    if (ctx.clock.monotonicMs() > until) break
    row.counts = await countMailDay(ctx.db, ctx.workspaceId, row.day)
  }
  return days
}

/** News comes within seconds, some within days; a mail is tried for two days, and reported as spam within the week. */
function isStale({ ageSeconds, daysAgo }: MailDayRow): boolean {
  const lasts = daysAgo <= 1 ? 5 : daysAgo <= 7 ? 600 : 6 * 3600
  return ageSeconds === null || ageSeconds >= lasts
}
