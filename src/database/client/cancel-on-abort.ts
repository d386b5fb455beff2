/**
 * Ends a long statement of a connection when its work is to stop: PostgreSQL would go on for hours.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseClient } from './database-client.ts'

/**
 * Cancels the statement that the connection runs when `signal` is aborted, or its next one when it
 * is between two: until one was cancelled, since the server may be too busy to be reached at once.
 * Answers the function that ends it.
 */
export function cancelOnAbort(client: DatabaseClient, signal?: AbortSignal): () => void {
  if (!signal) return () => undefined
  const over = new AbortController()
  const cancel = async (): Promise<void> => {
    while (!over.signal.aborted && !(await cancelStatement(client)))
      await setTimeout(againAfterMs, undefined, { ref: false })
  }
  if (signal.aborted) void cancel()
  signal.addEventListener('abort', () => void cancel(), { signal: over.signal })
  return () => over.abort()
}

const againAfterMs = 250

/**
 * Whether there was a statement to cancel. Uses its own connection: the one that waits for a
 * statement takes no other. PostgreSQL rolls back a file that is one transaction.
 */
async function cancelStatement({ pid, address }: DatabaseClient): Promise<boolean> {
  const other = new pg.Client({
    connectionString: address,
    application_name: 'facteur cancel',
    connectionTimeoutMillis: 2_000,
  })
  other.on('error', () => undefined)
  try {
    await other.connect()
    const { rowCount } = await other.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and state = 'active'",
      [pid],
    )
    return rowCount !== 0
  } catch {
    // It cannot be reached now. When it is gone, so is the statement.
    return false
  } finally {
    await other.end().catch(() => undefined)
  }
}
