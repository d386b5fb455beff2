/** A connection that is sent the next statement before it has answered the one before: the server never waits for us. */
import type { Pool, PoolClient } from 'pg'

/** A connection of the pool and those who ask over it. */
interface Line {
  client: Promise<PoolClient>
  isHad: boolean
  underWay: number
  /** What went wrong on it: with that it is not the pool's any more, for whoever is next might get another's answer. */
  failure?: Error
}

/**
 * Asks over one connection of the pool: what is asked while others are under way is sent right after them, and is executed in
 * that order. Each statement is its own transaction, so one that fails leaves the others alone. The connection is taken with
 * the first of them and given back with the last, or as soon as somebody else waits for one, or the pool ends. After a failure
 * it is closed instead, and what comes next has another.
 *
 * Asking rejects as the statement does, or when there is no connection to be had.
 */
export function createPipeline(pool: Pool): <Result>(ask: (client: PoolClient) => Promise<Result>) => Promise<Result> {
  let line: Line | null = null
  return async (ask) => {
    // A busy pipeline gives its connection back when others wait, so it cannot starve them.
    if (line?.isHad && (pool.ending || pool.waitingCount > 0)) line = null
    const mine = (line ??= { client: pool.connect(), isHad: false, underWay: 0 })
    mine.underWay++
    try {
      const client = await mine.client
      mine.isHad = true
      return await ask(client)
    } catch (error) {
      mine.failure = error instanceof Error ? error : new Error(String(error))
      if (line === mine) line = null
      throw error
    } finally {
      if (--mine.underWay === 0) {
        if (line === mine) line = null
        // Where there was none to be had, none is given back; who asked has been told.
        void mine.client.then(
          (client) => client.release(mine.failure),
          () => undefined,
        )
      }
    }
  }
}
