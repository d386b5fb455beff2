/** Asks a database for an answer on a connection of its own. */
import { DatabaseClient } from './database-client.ts'

/** Rejects as the connection does. */
export async function pingDatabase(connectionString: string): Promise<void> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur check',
    connectionTimeoutMillis: 5_000,
  })
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end().catch(() => undefined)
  }
}
