/**
 * Starts with a server process once it was spawned: waits for it, connects, makes the
 * database in it.
 */
import pg from 'pg'
import type { Clock } from '../../ground/clock.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { reasonOf } from './full-disk.ts'
import { connectionString, type PostgresLocation } from './postgres-location.ts'
import {
  findPostmaster,
  lastLogLines,
  stopPostmaster,
  waitUntilReady,
  type Postmaster,
} from './postmaster.ts'

/**
 * How long others wait for a command that has the folder, a command for a service that starts, we
 * for a server that ends.
 */
export const PATIENCE_MS = 60_000

export interface Waiting {
  clock: Clock
  progress?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Throws `OperatorError` with the server's last line when it does not start; a server that was
 * aborted is stopped.
 */
export async function waitForServer(
  location: PostgresLocation,
  { clock, progress, signal }: Waiting,
): Promise<Postmaster> {
  const onSlow = (): void => progress?.('The database is recovering what a crash left')
  const ready = await waitUntilReady(location, clock, onSlow, signal).catch(
    async (error: unknown) => {
      const postmaster = findPostmaster(location)
      if (postmaster) await stopPostmaster(postmaster, clock, PATIENCE_MS)
      throw error
    },
  )
  if (ready) return ready
  const reason = reasonOf(location.home, lastLogLines(location))
  throw new OperatorError(
    `The database did not start: ${reason} (more in ${location.home}/postgres.log)`,
  )
}

export function refuseOrphan({ pid }: Postmaster): never {
  throw new OperatorError(
    `A PostgreSQL of an earlier start (process ${pid}) neither answers nor ends: stop it with "kill -QUIT ${pid}" and start again.`,
  )
}

/**
 * Why it takes no connections, or sorts texts otherwise than when they were written; null when all
 * is well.
 */
export async function connectionProblem(address: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5_000 })
  let problem: string | null = null
  client.on('error', () => undefined)
  client.on('notice', ({ message = '' }) => {
    if (message.includes('collation version mismatch')) problem = message
  })
  try {
    await client.connect()
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  } finally {
    await client.end().catch(() => undefined)
  }
  return problem
}

export async function makeDatabase(
  location: PostgresLocation,
  { socketFolder }: Postmaster,
): Promise<void> {
  const client = new pg.Client({
    connectionString: connectionString(location, socketFolder, 'postgres'),
  })
  await client.connect()
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'facteur'")
    if (rowCount === 0) await client.query('create database facteur')
  } finally {
    await client.end()
  }
}
