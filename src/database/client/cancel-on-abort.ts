/**
 * Ends a long statement of a connection when its work is to stop: PostgreSQL would go on for hours.
 */
import pg from 'pg'
import type { DatabaseClient } from './database-client.ts'

/**
 * Cancels the statement that the connection runs when `signal` is aborted. Answers the function
 * that ends it.
 */
export function cancelOnAbort(client: DatabaseClient, signal?: AbortSignal): () => void {
  if (!signal) return () => undefined
  const cancel = (): void => void cancelStatement(client)
  signal.addEventListener('abort', cancel)
  return () => signal.removeEventListener('abort', cancel)
}

/**
 * Uses its own connection: the one that waits for a statement takes no other. PostgreSQL rolls back
 * a file that is one transaction.
 */
async function cancelStatement({ pid, address }: DatabaseClient): Promise<void> {
  const other = new pg.Client({
    connectionString: address,
    application_name: 'facteur cancel',
    connectionTimeoutMillis: 2_000,
  })
  other.on('error', () => undefined)
  try {
    await other.connect()
    await other.query('select pg_cancel_backend($1)', [pid])
  } catch {
    // The server is gone, and the statement with it.
  } finally {
    await other.end().catch(() => undefined)
  }
}
