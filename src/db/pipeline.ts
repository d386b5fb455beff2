/** A connection that is sent the next statement before it has answered the one before: the server never waits for us. */
import type { Pool, PoolClient } from 'pg'

/**
 * Asks over one connection of the pool: what is asked while others are under way is sent right after them, and is executed in
 * that order. Each statement is its own transaction, so one that fails leaves the others alone. The connection is taken with
 * the first of them and given back with the last, or as soon as somebody else waits for one.
 *
 * Asking rejects as the statement does, or when there is no connection to be had.
 */
export function createPipeline(pool: Pool): <Result>(ask: (client: PoolClient) => Promise<Result>) => Promise<Result> {
  let line: { client: Promise<PoolClient>; isHad: boolean; underWay: number } | null = null
  return async (ask) => {
    // Whoever never rests would keep the connection for ever: it queues again, and those who wait come first.
    if (line?.isHad && pool.waitingCount > 0 && pool.idleCount === 0) line = null
    const mine = (line ??= { client: pool.connect(), isHad: false, underWay: 0 })
    mine.underWay++
    try {
      const client = await mine.client
      mine.isHad = true
      return await ask(client)
    } catch (error) {
      // Whatever is wrong with this connection: what comes next has another.
      if (line === mine) line = null
      throw error
    } finally {
      if (--mine.underWay === 0) {
        if (line === mine) line = null
        // A connection that broke is dropped by the pool; one that was not to be had is nobody's to give back.
        void mine.client.then((client) => client.release()).catch(() => undefined)
      }
    }
  }
}
