/**
 * Logs calls off their path: a call leaves one small object here, and groups of them are written
 * once a second (docs/decisions/0053).
 *
 * 1. Each refusal that a key makes within its rate has a row. Of other calls each key, operation
 *    and code is a stream: beyond a rate it stores one of several, and the row says for how many it
 *    stands.
 * 2. Rows wait in memory up to a bound; beyond it, the oldest are dropped and counted, successes
 *    first.
 * 3. One write at most is under way. While the database is away, rows wait.
 */
import { passesLater } from '../../db/connection/database-errors.ts'
import { insertRequests, type LoggedCall } from '../../db/workspaces/request-log.ts'
import { makeIds } from '../../ids.ts'
import type { Context, RequestLog, RequestLogCounts, WorkspaceCall } from '../context.ts'
import { createSampler } from './sample-calls.ts'

const writeEachMs = 1_000
/** Rows of a statement at most. */
const groupMax = 500
/** A row has less than 1 KB, but for a batch: that of a hundred messages has 4 KB. */
const waitingMax = 20_000
const droppedAtOnce = 1_000

interface Waiting extends LoggedCall {
  workspaceId: number
}

type Parts = Pick<Context, 'countingDb' | 'clock' | 'log'>

/**
 * `perSecond`: successful calls of a stream in a second, beyond which some stand for others; 0
 * stores refused calls alone.
 */
export function createRequestLog({ countingDb, clock, log }: Parts, perSecond: number): RequestLog {
  const counts: RequestLogCounts = { stored: 0, sampled: 0, dropped: 0 }
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  const keep = (call: WorkspaceCall, calls: number): void => {
    counts.sampled += calls - 1
    waiting.push({ ...call, id: makeIds(() => call.atMs)(), calls })
    if (waiting.length > waitingMax) makeRoom()
  }
  const makeRoom = (): void => {
    const [successes = [], refusals = []] = [true, false].map((isSuccess) =>
      waiting.filter(({ status }) => status < 400 === isSuccess),
    )
    const gone = new Set([...successes, ...refusals].slice(0, droppedAtOnce))
    waiting = waiting.filter((row) => !gone.has(row))
    drop([...gone])
  }
  const drop = (rows: Waiting[]): void => {
    counts.dropped += rows.length
  }
  const sampler = createSampler(perSecond, keep)

  /**
   * Answers the rows that wait for the next try. A group that is refused is written by halves, so
   * that one row keeps no other out.
   */
  const writeRows = async (workspaceId: number, rows: Waiting[]): Promise<Waiting[]> => {
    try {
      await insertRequests(countingDb, workspaceId, rows)
      counts.stored += rows.length
      return []
    } catch (error) {
      if (passesLater(error)) return rows
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2)
        return [
          ...(await writeRows(workspaceId, rows.slice(0, middle))),
          ...(await writeRows(workspaceId, rows.slice(middle))),
        ]
      }
      drop(rows)
      log.error({ err: error, workspaceId }, 'A call was not logged')
      return []
    }
  }
  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const left: Waiting[] = []
      for (const [workspaceId, rows] of Map.groupBy(
        waiting.splice(0, groupMax),
        (row) => row.workspaceId,
      ))
        left.push(...(left.length > 0 ? rows : await writeRows(workspaceId, rows)))
      if (left.length === 0) continue
      waiting.unshift(...left)
      return
    }
  }
  const write = (): Promise<void> => (writing ??= writeWaiting().finally(() => (writing = null)))

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      sampler.endIdle(clock.monotonicMs())
      void write().finally(() => {
        timer = null
        if (waiting.length > 0 || sampler.isBusy()) schedule()
      })
    }, writeEachMs).unref()
  }

  return {
    record(call) {
      if (!sampler.take(call, clock.monotonicMs())) counts.sampled++
      schedule()
    },
    counts: () => counts,
    async flush() {
      sampler.endIdle(Infinity)
      // A write under way may have begun before the last rows came.
      await writing
      await write()
    },
  }
}
