/** Lets a limited number of counts of a workspace run at a time; a few more wait in order. */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import type { Database } from '../../../database/client/database.ts'
import { limitTime } from '../../../database/client/limit-time.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import { sqlState } from '../../../database/client/database-errors.ts'
import type { CallContext } from '../../context.ts'
import { fewAtOnce } from '../../few-at-once.ts'

const { countsAtOnceMax, countsWaitingMax, countSecondsMax, longCountsAtOnceMax } = segmentLimits
const countsMax = countsAtOnceMax + countsWaitingMax

type InTurn = <T>(
  ctx: Pick<CallContext, 'workspaceId' | 'left'>,
  work: () => Promise<T>,
) => Promise<T>

/** When a caller that was refused may try again, in seconds. */
const retryAfter = 5

/**
 * Turns of each workspace, of which `atOnceMax` have one at a time. They throw `rate_limit_exceeded`
 * where too many wait already. A caller who has gone while waiting is passed over: an editor gives up
 * a count when its user goes on writing.
 */
function turnsOfWorkspaces(atOnceMax: number): InTurn {
  /** Of each workspace that has some: its turns, and how many have not ended. */
  const queues = new Map<number, { inTurn: ReturnType<typeof fewAtOnce>; counts: number }>()
  return async ({ workspaceId, ...ctx }, work) => {
    const queue = queues.get(workspaceId) ?? { inTurn: fewAtOnce(atOnceMax), counts: 0 }
    if (queue.counts >= countsMax) throw tooManyCounts()
    queues.set(workspaceId, queue)
    queue.counts++
    const left = ctx.left?.()
    try {
      return await queue.inTurn(() => {
        if (left?.aborted) throw tooManyCounts()
        return work()
      })
    } finally {
      queue.counts--
      if (queue.counts === 0) queues.delete(workspaceId)
    }
  }
}

export const inTurnOfWorkspace = turnsOfWorkspaces(countsAtOnceMax)

const inLongTurnOfWorkspace = turnsOfWorkspaces(1)
const fewLong = fewAtOnce(longCountsAtOnceMax)

/** So few run at once that the short ones have connections. */
const inLongTurn: InTurn = (ctx, work) => inLongTurnOfWorkspace(ctx, () => fewLong(work))

/** The turn of work that may take so many seconds. */
export const inTurnFor = (seconds: number): InTurn =>
  seconds > countSecondsMax ? inLongTurn : inTurnOfWorkspace

const tooManyCounts = (): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    { reason: 'segment_counts', limit: countsMax, retry_after: retryAfter },
    retryAfter,
  )

/**
 * Counts at one moment, in the workspace's turn and within its seconds, on connections that the
 * sending of mail never waits for. Throws `conflict` and `rate_limit_exceeded`.
 */
export const countAtOneMoment = <T>(
  ctx: Pick<CallContext, 'segmentDb' | 'workspaceId' | 'left'>,
  read: (tx: Database) => Promise<T>,
): Promise<T> =>
  inTurnOfWorkspace(ctx, () =>
    withinSeconds(countSecondsMax, () =>
      ctx.segmentDb.transaction(async (tx) => {
        await readOneMoment(tx)
        await limitTime(tx, countSecondsMax * 1_000)
        return read(tx)
      }),
    ),
  )

/** Throws `conflict` with what to do where PostgreSQL ended the statement after its time. */
export async function withinSeconds<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== '57014') throw error
    throw new ApiError('conflict', { reason: 'segment_timed_out', seconds })
  }
}
