/**
 * A durable PostgreSQL that counts the blocks of each statement, and whose log may feed a logical
 * replication slot.
 */
import { rmSync } from 'node:fs'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import {
  startEmbedded,
  type EmbeddedDatabase,
} from '../../src/database/embedded/embedded-postgres.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'

export async function startCountingPostgres(): Promise<EmbeddedDatabase> {
  const folder = makeTemporaryFolder('postgres')
  const plain = await startEmbedded({ folder, durable: true })
  // Both settings need a start of the server.
  await ask(
    plain.connectionString,
    `alter system set shared_preload_libraries = 'pg_stat_statements'`,
  )
  await ask(plain.connectionString, 'alter system set wal_level = logical')
  await plain.stop()
  const database = await startEmbedded({ folder, durable: true })
  await ask(database.connectionString, 'create extension pg_stat_statements')
  const stop = async (): Promise<boolean> => {
    const ended = await database.stop()
    rmSync(folder, { recursive: true, force: true })
    return ended
  }
  return { ...database, stop }
}

async function ask(connectionString: string, text: string): Promise<void> {
  const db: Connection = connect({ connectionString, poolSize: 1 })
  await db.count({ name: '', text, values: [] })
  await db.end()
}
