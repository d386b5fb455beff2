/**
 * Writes logged calls in groups.
 *
 * 1. Rows wait in memory up to a bound; beyond it, the oldest are dropped and counted, successes
 *    first.
 * 2. One write at most is under way. While the database is away, rows wait.
 */
import { passesLater } from '../../database/client/database-errors.ts'
import { insertRequests, type LoggedCall } from '../../db/workspaces/request-log.ts'
import type { Context, RequestLogCounts } from '../context.ts'

/** Rows of a statement at most. */
const groupMax = 500
/** A row has less than 1 KB, but for a batch: that of a hundred messages has 4 KB. */
export const waitingMax = 20_000
const droppedAtOnce = 1_000

export interface WaitingCall extends LoggedCall {
  workspaceId: number
}

/** `waiting`: the rows to write, the oldest first. */
export function createRequestWriter(
  { countingDb, log }: Pick<Context, 'countingDb' | 'log'>,
  waiting: WaitingCall[],
  counts: RequestLogCounts,
) {
  let writing: Promise<void> | null = null

  const drop = (rows: WaitingCall[]): void => {
    counts.dropped += rows.length
  }
  /**
   * Answers the rows that wait for the next try. A group that is refused is written by halves, so
   * that one row keeps no other out.
   */
  const writeRows = async (workspaceId: number, rows: WaitingCall[]): Promise<WaitingCall[]> => {
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
      const left: WaitingCall[] = []
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
  return {
    /** Call it when more than `waitingMax` rows wait. */
    makeRoom(): void {
      const [successes = [], refusals = []] = [true, false].map((isSuccess) =>
        waiting.filter(({ status }) => status < 400 === isSuccess),
      )
      const gone = new Set([...successes, ...refusals].slice(0, droppedAtOnce))
      const stay = waiting.filter((row) => !gone.has(row))
      waiting.length = 0
      for (const row of stay) waiting.push(row)
      drop([...gone])
    },
    write: (): Promise<void> => (writing ??= writeWaiting().finally(() => (writing = null))),
    /** Resolves when the write that is under way has ended. */
    ended: async (): Promise<void> => void (await writing),
  }
}
