/** Lets a limited number of counts of a workspace run at a time; a few more wait in order. */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { sqlState } from '../../../database/client/database-errors.ts'
import type { CallContext } from '../../context.ts'
import { fewAtOnce } from '../../few-at-once.ts'

const { countsAtOnceMax, countsWaitingMax } = segmentLimits
const countsMax = countsAtOnceMax + countsWaitingMax

/** Of each workspace that has some: its turns, and how many have not ended. */
const queues = new Map<number, { inTurn: ReturnType<typeof fewAtOnce>; counts: number }>()

/** When a caller that was refused may try again, in seconds. */
const retryAfter = 5

/**
 * Throws `rate_limit_exceeded` where too many wait already. A caller who has gone while waiting is
 * passed over: an editor gives up a count when its user goes on writing.
 */
export async function inTurnOfWorkspace<T>(
  ctx: Pick<CallContext, 'workspaceId' | 'left'>,
  work: () => Promise<T>,
): Promise<T> {
  const { workspaceId } = ctx
  const queue = queues.get(workspaceId) ?? { inTurn: fewAtOnce(countsAtOnceMax), counts: 0 }
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

const tooManyCounts = (): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    { reason: 'segment_counts', limit: countsMax, retry_after: retryAfter },
    retryAfter,
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
