/**
 * A pipelined connection: it sends the next statement before the server has answered the previous
 * one, so the server never waits.
 */
import type { Pool, PoolClient } from 'pg'
import { brokenBy } from './database-errors.ts'

/** A connection of the pool and its callers. */
interface Line {
  client: Promise<PoolClient>
  isHad: boolean
  underWay: number
  /**
   * The failure of the connection: it does not go back to the pool, since the next caller might get
   * another's answer.
   */
  failure?: Error | undefined
}

/**
 * Runs statements over one connection of the pool; statements that callers add meanwhile go out at
 * once and run in that order. Each statement is its own transaction, so a failed one does not
 * affect the others. The connection is taken with the first statement. It goes back with the last,
 * or as soon as another caller waits for one, or the pool ends. After a failure of its own it is
 * closed, and later statements get another.
 *
 * A call rejects as its statement does, or when the pool has no connection.
 */
export function createPipeline(
  poolNow: () => Pool,
): <Result>(ask: (client: PoolClient) => Promise<Result>) => Promise<Result> {
  let line: Line | null = null
  return async (ask) => {
    const pool = poolNow()
    // A busy pipeline gives its connection back when others wait, so it cannot starve them.
    if (line?.isHad && (pool.ending || pool.waitingCount > 0)) line = null
    const mine = (line ??= { client: pool.connect(), isHad: false, underWay: 0 })
    mine.underWay++
    try {
      const client = await mine.client
      mine.isHad = true
      return await ask(client)
    } catch (error) {
      mine.failure ??= brokenBy(error)
      if (mine.failure && line === mine) line = null
      throw error
    } finally {
      if (--mine.underWay === 0) {
        if (line === mine) line = null
        // The pool had no connection: none goes back, and the caller has its error.
        void mine.client.then(
          (client) => client.release(mine.failure),
          () => undefined,
        )
      }
    }
  }
}
