/**
 * Lets two counts of a workspace run at a time, over all processes. Of each process a few more wait in
 * order, and the next ones poll for a slot that another process has.
 */
import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import type { Database } from '../../../database/client/database.ts'
import { limitTime } from '../../../database/client/limit-time.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import { retrying } from '../../../database/client/retrying.ts'
import { sqlState } from '../../../database/client/database-errors.ts'
import { takeCountSlot, type CountSlots } from '../../../db/audience/segments/count-slots.ts'
import type { CallContext } from '../../context.ts'
import { fewAtOnce } from '../../few-at-once.ts'

const { countsAtOnceMax, countsWaitingMax, countSecondsMax, longCountsAtOnceMax } = segmentLimits
const { slotPauseMs, slotTriesMax } = segmentLimits
const countsMax = countsAtOnceMax + countsWaitingMax

type Caller = Pick<CallContext, 'workspaceId' | 'left'>
type InTurn = <T>(ctx: Caller, work: () => Promise<T>) => Promise<T>

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

type Counter = Pick<CallContext, 'segmentDb'> & Caller

export interface CountWork<T> {
  /** What it may take; above those of a count, it has the slot of long ones. */
  seconds: number
  slots?: CountSlots
  /** May run again from its beginning, where what it writes met another change. */
  read: (tx: Database) => Promise<T>
}

/** The turns of one process. */
export function turnsOfProcess(triesMax: number = slotTriesMax): {
  inTurnOfWorkspace: InTurn
  /** One of a workspace, for what reads the audience for long. */
  inLongTurn: InTurn
  readInTurn: <T>(ctx: Counter, work: CountWork<T>) => Promise<T>
} {
  const inTurnOfWorkspace = turnsOfWorkspaces(countsAtOnceMax)
  const inLongTurnOfWorkspace = turnsOfWorkspaces(1)
  const fewLong = fewAtOnce(longCountsAtOnceMax)
  const turns: Record<CountSlots, InTurn> = {
    short: inTurnOfWorkspace,
    // So few run at once that the short ones have connections.
    long: (ctx, work) => inLongTurnOfWorkspace(ctx, () => fewLong(work)),
  }
  return {
    inTurnOfWorkspace,
    inLongTurn: turns.long,
    readInTurn: (ctx, { seconds, slots = slotsFor(seconds), read }) =>
      turns[slots](ctx, () =>
        withinSeconds(seconds, () => readWithSlot(ctx, { slots, triesMax, read })),
      ),
  }
}

const slotsFor = (seconds: number): CountSlots => (seconds > countSecondsMax ? 'long' : 'short')

/** Holds no connection while all slots are taken. */
async function readWithSlot<T>(
  { segmentDb, workspaceId, left }: Counter,
  { slots, triesMax, read }: { slots: CountSlots; triesMax: number; read: CountWork<T>['read'] },
): Promise<T> {
  const leaving = left?.()
  for (let tries = 1; ; tries++) {
    const result = await retrying(() =>
      segmentDb.transaction(async (tx) => {
        await readOneMoment(tx)
        return (await takeCountSlot(tx, workspaceId, slots)) ? { value: await read(tx) } : null
      }),
    )
    if (result) return result.value
    if (tries < triesMax) await pause(leaving)
    if (tries >= triesMax || leaving?.aborted) throw tooManyCounts()
  }
}

/** Ends early where the caller leaves. */
const pause = (leaving: AbortSignal | undefined): Promise<void> =>
  setTimeout(slotPauseMs, undefined, leaving && { signal: leaving }).catch(() => undefined)

/**
 * `readInTurn`: reads at one moment, in the workspace's turn and within its seconds, on connections
 * that the sending of mail never waits for. Throws `conflict` and `rate_limit_exceeded`.
 */
export const { inTurnOfWorkspace, inLongTurn, readInTurn } = turnsOfProcess()

const tooManyCounts = (): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    { reason: 'segment_counts', limit: countsMax, retry_after: retryAfter },
    retryAfter,
  )

/** A count within the seconds of one. */
export const countAtOneMoment = <T>(ctx: Counter, read: (tx: Database) => Promise<T>): Promise<T> =>
  readInTurn(ctx, {
    seconds: countSecondsMax,
    read: async (tx) => {
      await limitTime(tx, countSecondsMax * 1_000)
      return read(tx)
    },
  })

/** Throws `conflict` with what to do where PostgreSQL ended the statement after its time. */
async function withinSeconds<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== '57014') throw error
    throw new ApiError('conflict', { reason: 'segment_timed_out', seconds })
  }
}
