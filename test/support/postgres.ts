/**
 * A PostgreSQL of its own for a test run, a fault test or a measurement: in a temporary folder,
 * gone afterwards.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { livingOwner } from '../../src/database/embedded/data-owner.ts'
import {
  startEmbedded,
  type EmbeddedDatabase,
} from '../../src/database/embedded/embedded-postgres.ts'
import { connect } from '../../src/database/client/connect.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { maintainPartitions } from '../../src/db/retention/maintain-partitions.ts'
import { addTestCell } from './add-test-cell.ts'
import { testCell } from './database.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

export interface TestPostgres extends EmbeddedDatabase {
  /** Its data folder. */
  folder: string
}

/**
 * `durable: true` for what kills the server or measures commits; false is quicker. `stop` also
 * removes the folder.
 */
export async function startPostgres({
  durable,
  copyOf,
}: {
  durable: boolean
  copyOf?: string
}): Promise<TestPostgres> {
  await removeLeftovers()
  const folder = makeTemporaryFolder('postgres')
  // Its files belong to the user that runs PostgreSQL.
  if (copyOf !== undefined) execFileSync('cp', ['-a', `${copyOf}/.`, folder])
  const database = await startEmbedded({ folder, durable })
  const stop = async (): Promise<boolean> => {
    const ended = await database.stop()
    rmSync(folder, { recursive: true, force: true })
    return ended
  }
  return { ...database, folder, stop }
}

let migrated: Promise<string> | null = null

/**
 * A durable one with our schema: making it takes seconds, so that this process makes it once and
 * copies its folder.
 */
export async function startMigratedPostgres(): Promise<TestPostgres> {
  migrated ??= makeMigrated()
  return startPostgres({ durable: true, copyOf: await migrated })
}

async function makeMigrated(): Promise<string> {
  const folder = makeTemporaryFolder('postgres')
  const database = await startEmbedded({ folder, durable: false })
  await prepareDatabase(database.connectionString)
  await database.stop()
  return folder
}

/**
 * The schema, and the partitions that a first round of the clean-up makes: copies need not make
 * them again.
 */
export async function prepareDatabase(url: string): Promise<void> {
  await migrate(url)
  const db = connect({ connectionString: url, poolSize: 1 })
  const fail = (context: { err?: unknown }): void => {
    throw context.err
  }
  await maintainPartitions({ db, log: { error: fail } })
  await db.end()
  if (testCell === null) return
  await addTestCell(url, { isOnly: true })
  const there = connect({ connectionString: url, schema: testCell.schema, poolSize: 1 })
  await maintainPartitions({ db: there, log: { error: fail } })
  await there.end()
}

/**
 * Stops and removes what a test run that was killed left behind. Only what is older than any run:
 * a server that is stopped and started by its test has no owner for a moment.
 */
async function removeLeftovers(): Promise<void> {
  const longAgoMs = Date.now() - longestRunMs
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('facteur-test-postgres-'))
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const madeMs = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Infinity
    if (madeMs > longAgoMs || livingOwner(folder)) continue
    const database = await startEmbedded({ folder, durable: false }).catch(() => null)
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const longestRunMs = 6 * 3600_000
