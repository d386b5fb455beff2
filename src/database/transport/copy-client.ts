/**
 * The connections of a copy from one database to another: long statements, and rows in COPY's
 * binary format.
 */
import type pg from 'pg'
import { DatabaseClient } from '../client/database-client.ts'
import { cancelOnAbort } from '../client/cancel-on-abort.ts'

/**
 * Opens a connection for the time of `work`. Without a commit, its transaction ends with it.
 * `signal` cancels the statement under way; whether later ones are still to run is for `work` to
 * ask.
 */
export async function withCopyClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = new DatabaseClient({
    ...{ connectionString, application_name: 'facteur copy', connectionTimeoutMillis: 10_000 },
    // A server that is gone without a word is noticed.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
  })
  await client.connect()
  let stopCancelling = (): void => undefined
  try {
    // No time limit of the server's settings ends it; a commit is on the disk; texts are UTF-8; a
    // plan of few keys and one of many differ.
    await client.query(`
      set statement_timeout = 0; set synchronous_commit = on;
      set idle_in_transaction_session_timeout = 0; set client_encoding = 'UTF8';
      set synchronize_seqscans = off; set max_parallel_workers_per_gather = 0; set client_min_messages = warning`)
    stopCancelling = cancelOnAbort(client, signal)
    return await work(client)
  } finally {
    stopCancelling()
    await client.end().catch(() => undefined)
  }
}

export async function inTransactionOf<T>(
  client: pg.Client,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Sees all tables as they were at one moment. */
export const beginSnapshot = 'begin transaction isolation level repeatable read'
