/** A PostgreSQL of its own for a test run, a fault test or a measurement: in a temporary folder, gone afterwards. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { livingOwner } from '../../src/db/data-owner.ts'
import { startEmbedded } from '../../src/db/embedded-postgres.ts'
import type { EmbeddedDatabase } from '../../src/db/embedded-postgres.ts'

export interface TestPostgres extends EmbeddedDatabase {
  /** Its data folder. */
  folder: string
}

/** `durable: true` for what kills the server or measures commits; false is quicker. `stop` also removes the folder. */
export async function startPostgres({ durable }: { durable: boolean }): Promise<TestPostgres> {
  await removeLeftovers()
  const folder = makeTemporaryFolder('postgres')
  const database = await startEmbedded({ folder, durable })
  const stop = async (): Promise<boolean> => {
    const ended = await database.stop()
    rmSync(folder, { recursive: true, force: true })
    return ended
  }
  return { ...database, folder, stop }
}

/** A temporary folder that the database's user can pass through, when we are root. */
export function makeTemporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `facteur-test-${name}-`))
  chmodSync(folder, 0o711)
  return folder
}

/** Stops and removes what a test run that was killed left behind. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (!name.startsWith('facteur-test-postgres-') || !readdirSync(folder).includes('owner.json') || livingOwner(folder)) continue
    const database = await startEmbedded({ folder, durable: false })
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
