/**
 * Logs calls off their path: a call leaves one small object here, and groups of them are written once a second
 * (docs/decisions/0053).
 *
 * 1. Each key, operation and code is a stream. Beyond a rate, a stream stores one of several calls, and the row says for how many
 *    it stands.
 * 2. Rows wait in memory up to a bound; beyond it, the oldest are dropped and counted.
 * 3. One write at most is under way. While the database is away, rows wait.
 */
import { passesLater } from '../../db/connection/connect.ts'
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

/** `perSecond`: successful calls of a stream in a second, beyond which some stand for others; 0 stores refused calls alone. */
export function createRequestLog({ countingDb, clock, log }: Parts, perSecond: number): RequestLog {
  const counts: RequestLogCounts = { stored: 0, sampled: 0, dropped: 0 }
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  const keep = (call: WorkspaceCall, calls: number): void => {
    counts.sampled += calls - 1
    waiting.push({ ...call, id: makeIds(() => call.atMs)(), calls })
    if (waiting.length > waitingMax) drop(waiting.splice(0, droppedAtOnce))
  }
  const drop = (rows: Waiting[]): void => {
    counts.dropped += rows.length
  }
  const sampler = createSampler(perSecond, keep)

  /** False: the rows wait for the next try. */
  const writeRows = async (workspaceId: number, rows: Waiting[]): Promise<boolean> => {
    try {
      await insertRequests(countingDb, workspaceId, rows)
      counts.stored += rows.length
    } catch (error) {
      if (passesLater(error)) return false
      drop(rows)
      log.error({ err: error, workspaceId }, 'Calls were not logged')
    }
    return true
  }
  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const left = Map.groupBy(waiting.splice(0, groupMax), ({ workspaceId }) => workspaceId)
      for (const [workspaceId, rows] of left) {
        if (!(await writeRows(workspaceId, rows))) break
        left.delete(workspaceId)
      }
      if (left.size === 0) continue
      waiting.unshift(...[...left.values()].flat())
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
