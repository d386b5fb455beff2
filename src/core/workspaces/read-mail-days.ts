/** Counts the mails of the last days by what became of them, as far as they have changed. */
import { waitAtMost } from '../../ground/clock.ts'
import { sqlState } from '../../database/client/database-errors.ts'
import {
  mailDays,
  sumMailDay,
  type CountedDay,
  type MailCounts,
  type MailDayRow,
} from '../../db/workspaces/mail-days.ts'
import { countMailPart, duePart, holdCounting } from '../../db/workspaces/mail-parts.ts'
import type { CallContext } from '../context.ts'

/**
 * How long counting may delay an answer, in milliseconds; days that are not counted by then show
 * their previous figures, or none.
 */
const countingMs = 200
/** How long counting one part of a day may take, in milliseconds: most take a thousandth of it. */
const partCountedMs = 10_000

type Caller = Pick<CallContext, 'db' | 'clock' | 'workspaceId' | 'backgroundTasks'>

/** The days as they are then stored. */
export async function readMailDays(ctx: Caller, days: number): Promise<MailDayRow[]> {
  await countMailDays(ctx, days)
  return mailDays(ctx.db, ctx.workspaceId, days)
}

/** Counting continues behind the answer after its limit, for the next request. */
export async function countMailDays(ctx: Caller, days: number): Promise<void> {
  const rows = await mailDays(ctx.db, ctx.workspaceId, days)
  let counting = Promise.resolve()
  ctx.backgroundTasks.begin((stopping) => (counting = countDays(ctx, rows, stopping)))
  await waitAtMost(ctx.clock, countingMs, counting)
}

/** Counts the newest days first: they change, and users look at them. */
async function countDays(ctx: Caller, days: MailDayRow[], stopping: AbortSignal): Promise<void> {
  for (const row of days.filter(isStale).toReversed()) {
    let counts: MailCounts | 'partly' | null = 'partly'
    while (counts === 'partly' && !stopping.aborted) counts = await countOn(ctx, row)
    if (counts === 'partly' || counts === null) return
  }
}

/**
 * Counts the next part of a day, or answers the day when all of them are counted. Null means
 * another request counts, or it took too long.
 */
async function countOn(
  { db, workspaceId }: Caller,
  day: CountedDay,
): Promise<MailCounts | 'partly' | null> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await holdCounting(tx, workspaceId, partCountedMs))) return null
      const part = await duePart(tx, workspaceId, day)
      if (part === null) return sumMailDay(tx, workspaceId, day)
      await countMailPart(tx, workspaceId, { ...day, ...part })
      return 'partly'
    })
  } catch (error) {
    if (sqlState(error) === '57014') return null
    throw error
  }
}

/** How often a day is looked at; its parts decide what is counted. */
const isStale = ({ ageSeconds, daysAgo, isFinal, isStored }: MailDayRow): boolean =>
  ageSeconds === null || daysAgo > 30
    ? isStored && (ageSeconds === null || !isFinal)
    : ageSeconds >= (daysAgo <= 1 ? 5 : daysAgo <= 7 ? 600 : 6 * 3600)
