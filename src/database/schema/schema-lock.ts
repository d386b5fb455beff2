/**
 * One process at a time changes the schema: what migrates, and what makes a cell, goes one after
 * the other.
 */
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../ground/operator-error.ts'
import { cancelOnAbort } from '../client/cancel-on-abort.ts'
import { DatabaseClient } from '../client/database-client.ts'

/** Any number works that nothing else in this database locks. */
const LOCK = 7_305_202

/** How often a process that waits for another one's migrations checks again. */
const pollEveryMs = 50

/** Oldest PostgreSQL with all features that we use (`unique nulls not distinct`, among others). */
const SERVER_VERSION_MIN = 150_000

export interface SchemaWork {
  connectionString: string
  signal?: AbortSignal | undefined
  progress: (text: string) => void
}

/** Throws the reason of `signal` when that is aborted, with the running statement cancelled. */
export async function whileSchemaIsLocked<T>(
  { connectionString, signal, progress }: SchemaWork,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur migrate',
    connectionTimeoutMillis: 10_000,
  })
  // A file reports the steps of a long change by `raise info`.
  client.on('notice', ({ severity, message }) => {
    if (severity === 'INFO' && message !== undefined) progress(message)
  })
  await client.connect()
  let stopCancelling = (): void => undefined
  try {
    await checkServer(client)
    stopCancelling = cancelOnAbort(client, signal)
    await takeLock(client, signal)
    return await work(client)
  } finally {
    stopCancelling()
    // The lock ends with the connection.
    await client.end()
  }
}

/**
 * Polls for the lock: a waiting statement would itself hold up an index that is created while
 * others write.
 */
async function takeLock(client: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  const isTaken = async () =>
    (await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]))
      .rows[0]?.taken
  while (!(await isTaken())) {
    await setTimeout(pollEveryMs)
    signal?.throwIfAborted()
  }
}

/** Throws `OperatorError` for a server that is too old. */
async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  )
  const version = rows[0]
  if (version && version.number < SERVER_VERSION_MIN)
    throw new OperatorError(
      `The database is PostgreSQL ${version.name}: Facteur needs 15 or newer.`,
    )
}
