/**
 * Stops the embedded PostgreSQL of a folder that the installation has left: a service that stopped
 * during the move may have left it running.
 */
import { connect } from '../database/client/connect.ts'
import { isCopyRunning } from '../database/transport/copy-state.ts'
import { findLeftServer } from '../database/embedded/embedded-postgres.ts'

/** It stays while a command reads it. Never rejects: the installation does not need it. */
export async function stopFormer(folder: string): Promise<void> {
  try {
    const left = await findLeftServer(folder)
    if (left === null) return
    const db = connect({
      connectionString: left.connectionString,
      poolSize: 1,
      applicationName: 'facteur check',
    })
    try {
      if (await isCopyRunning(db)) return
    } finally {
      await db.end()
    }
    await left.stop()
  } catch {
    // Its files may be deleted, wholly or in part.
  }
}
