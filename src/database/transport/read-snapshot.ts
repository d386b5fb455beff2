/** Reads a whole database as it was at one moment, while others write. */
import type { Readable } from 'node:stream'
import type pg from 'pg'
import { tableOfBackups } from '../schema/uncopied-tables.ts'
import { DatabaseClient } from '../client/database-client.ts'
import { otherCells } from '../schema/migrated-cells.ts'
import { to as copyTo } from 'pg-copy-streams'
import { OperatorError } from '../../ground/operator-error.ts'
import {
  partitionShapes,
  quoted,
  tableShapes,
  type PartitionShape,
  type TableShape,
} from './table-shapes.ts'

export interface Snapshot {
  takenAt: Date
  /** Of PostgreSQL, such as `18.4`. */
  serverVersion: string
  /** Of the master key. Null means no service ever started on this database. */
  keyFingerprint: string | null
  migrations: { name: string; hash: string }[]
  tables: TableShape[]
  partitions: PartitionShape[]
  sequences: SequenceState[]
  /** The rows of a table in COPY's binary format. Read one table to its end before the next. */
  copy(table: TableShape): Readable
}

export interface SequenceState {
  name: string
  value: number
  isCalled: boolean
}

export async function readSnapshot<T>(
  connectionString: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur backup',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    await prepareSession(client)
    return await work(await openSnapshot(client))
  } finally {
    // The transaction ends with the connection.
    await client.end().catch(() => undefined)
  }
}

/**
 * No time limit of the server's settings ends it; texts are UTF-8; rows come in the order of the
 * disk.
 */
async function prepareSession(client: pg.Client): Promise<void> {
  await client.query(`
    set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_encoding = 'UTF8';
    set synchronize_seqscans = off; set max_parallel_workers_per_gather = 0`)
}

async function openSnapshot(client: pg.Client): Promise<Snapshot> {
  const names = (await tableShapes(client)).map(({ name }) => quoted(name))
  if (names.length === 0)
    throw new OperatorError('There is nothing to back up: this database has no tables.')
  if (!names.includes(quoted(tableOfBackups)))
    throw new OperatorError(
      'This database is of an older version of Facteur: run facteur migrate, or back up with that version.',
    )
  if ((await otherCells(client)).length > 0)
    throw new OperatorError(
      'This installation has several cells, and a backup would hold the tables of cell 1 alone: back the whole database up with pg_dump.',
    )
  await client.query('begin transaction isolation level repeatable read read only')
  // Before the snapshot, which the first query takes: no table changes its columns from here on.
  await client.query(`lock table ${names.join(', ')} in access share mode`)
  const { rows } = await client.query<{ at: Date; version: string }>(
    `select facteur_now() as at, split_part(current_setting('server_version'), ' ', 1) as version`,
  )
  const [now] = rows
  if (!now) throw new Error('The database told no time')
  const tables = await tableShapes(client)
  return {
    takenAt: now.at,
    serverVersion: now.version,
    keyFingerprint: await readFingerprint(client),
    migrations: await readMigrations(client),
    tables,
    partitions: await partitionShapes(client),
    sequences: await readSequences(client),
    copy: ({ name, columns }) =>
      // A partitioned table has no rows of its own to copy: a query reads its partitions.
      client.query(
        copyTo(
          `copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout (format binary)`,
        ),
      ),
  }
}

async function readFingerprint(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ fingerprint: string }>(
    'select master_key_fingerprint as fingerprint from installation',
  )
  return rows[0]?.fingerprint ?? null
}

async function readMigrations(client: pg.Client): Promise<Snapshot['migrations']> {
  const { rows } = await client.query<{ name: string; hash: string }>(
    `select name, hash from schema_migration
     union all
     select name, hash from compatible_migration
     order by name`,
  )
  return rows
}

/**
 * Sequences know no snapshot: a value that was taken since leaves a gap, as a rolled back one does.
 */
export async function readSequences(client: pg.ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(
    `
      select relname::text as name
      from pg_class
      where relkind = 'S' and relnamespace = current_schema()::regnamespace
      order by relname`,
  )
  const states: SequenceState[] = []
  for (const { name } of rows) {
    const { rows: result } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${quoted(name)}`,
    )
    for (const { value, isCalled } of result) states.push({ name, value: Number(value), isCalled })
  }
  return states
}
