/** GET /audience/totals: how many contacts have each status, and how many were subscribed by day. */
import { subscriberStatuses } from '../../../contract/subscribers.ts'
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { statusChanges, type StatusChange } from '../../../db/audience/status-tally.ts'
import type { Verb } from '../../verb.ts'

const { growthDays } = audienceLimits
const dayMs = 86_400_000

export const getAudienceTotals: Verb<'getAudienceTotals'> = async (ctx) => {
  const changes = await statusChanges(ctx.db, ctx.workspaceId, growthDays)
  const today = changes[0]?.today ?? ''
  const statuses = Object.fromEntries(
    subscriberStatuses.map((status) => [
      status,
      sumOf(changes.filter((change) => change.status === status)),
    ]),
  ) as Record<(typeof subscriberStatuses)[number], number>
  const subscribed = changes.filter(({ status }) => status === 'subscribed')
  const days = daysUpTo(today).map((day) => ({
    day,
    subscribed: sumOf(subscribed.filter((change) => change.day === null || change.day <= day)),
  }))
  return { body: { object: 'audience_totals', statuses, days } }
}

/** Concurrent folds and changes never show less than nobody. */
const sumOf = (changes: StatusChange[]): number =>
  Math.max(
    0,
    changes.reduce((sum, { change }) => sum + change, 0),
  )

const daysUpTo = (today: string): string[] =>
  Array.from({ length: growthDays + 1 }, (_, at) =>
    new Date(Date.parse(today) - (growthDays - at) * dayMs).toISOString().slice(0, 10),
  )
