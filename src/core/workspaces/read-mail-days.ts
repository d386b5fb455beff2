/** Reads the mails of the last thirty days by what became of them, and counts what has changed. */
import { waitAtMost } from '../../ground/clock.ts'
import { sqlState } from '../../database/client/database-errors.ts'
import {
  countMailPart,
  duePart,
  holdCounting,
  mailDays,
  sumMailDay,
  type MailCounts,
  type MailDayRow,
} from '../../db/workspaces/overview.ts'
import type { CallContext } from '../context.ts'

/**
 * How long counting may delay an answer, in milliseconds; days that are not counted by then show
 * their previous figures, or none.
 */
const countingMs = 200
/** How long counting one part of a day may take, in milliseconds: most take a thousandth of it. */
const partCountedMs = 10_000

type Caller = Pick<CallContext, 'db' | 'clock' | 'workspaceId' | 'backgroundTasks'>

/** Counting continues behind the answer after its limit, for the next request. */
export async function readMailDays(ctx: Caller): Promise<MailDayRow[]> {
  const days = await mailDays(ctx.db, ctx.workspaceId)
  let counting = Promise.resolve()
  ctx.backgroundTasks.begin((stopping) => (counting = countDays(ctx, days, stopping)))
  await waitAtMost(ctx.clock, countingMs, counting)
  return days.map((row) => ({ ...row }))
}

/** Counts the newest days first: they change, and users look at them. */
async function countDays(ctx: Caller, days: MailDayRow[], stopping: AbortSignal): Promise<void> {
  for (const row of days.filter(isStale).toReversed()) {
    let counts: MailCounts | 'partly' | null = 'partly'
    while (counts === 'partly' && !stopping.aborted) counts = await countOn(ctx, row.day)
    if (counts === 'partly' || counts === null) return
    row.counts = counts
  }
}

/**
 * Counts the next part of a day, or answers the day when all of them are counted. Null means
 * another request counts, or it took too long.
 */
async function countOn(
  { db, workspaceId }: Caller,
  day: string,
): Promise<MailCounts | 'partly' | null> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await holdCounting(tx, workspaceId, partCountedMs))) return null
      const part = await duePart(tx, workspaceId, day)
      if (part === null) return sumMailDay(tx, workspaceId, day)
      await countMailPart(tx, workspaceId, day, part)
      return 'partly'
    })
  } catch (error) {
    if (sqlState(error) === '57014') return null
    throw error
  }
}

/** How often a day is looked at; its parts decide what is counted. */
const isStale = ({ ageSeconds, daysAgo }: MailDayRow): boolean =>
  ageSeconds === null || ageSeconds >= (daysAgo <= 1 ? 5 : daysAgo <= 7 ? 600 : 6 * 3600)
