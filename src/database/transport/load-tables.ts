/**
 * Loads the tables of a copy into a database that holds nothing yet, in one transaction: whole, or
 * not at all.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { DatabaseClient } from '../client/database-client.ts'
import { from as copyFrom } from 'pg-copy-streams'
import type { SequenceState } from './read-snapshot.ts'
import { partitionShapes, quoted, type PartitionShape } from './table-shapes.ts'

export interface Loading {
  /** Takes the rows of a table in COPY's binary format. End one table before the next. */
  load(table: { name: string; columns: string[] }): Writable & { rowCount: number }
  setSequences(states: readonly SequenceState[]): Promise<void>
  /**
   * Marks that this copy replaces an installation: the next start holds all mail that was pending.
   */
  markRestored(takenAt: string): Promise<void>
}

/** The tables exist, and hold at most rows that migrations made. */
export async function loadTables(
  connectionString: string,
  { tables, partitions }: { tables: readonly string[]; partitions: readonly PartitionShape[] },
  work: (loading: Loading) => Promise<void>,
): Promise<void> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur restore',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    await client.query(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_encoding = 'UTF8'`,
    )
    await client.query('begin')
    const names = tables.map(quoted)
    if (names.length > 0) await client.query(`truncate ${names.join(', ')}`)
    await makePartitions(client, partitions)
    // A trigger computes from changes what the copy holds already.
    for (const name of names) await client.query(`alter table ${name} disable trigger user`)
    await work({
      load: ({ name, columns }) =>
        client.query(
          copyFrom(
            `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin (format binary)`,
          ),
        ),
      async setSequences(states) {
        for (const { name, value, isCalled } of states)
          await client.query('select setval($1::regclass, $2, $3)', [quoted(name), value, isCalled])
      },
      async markRestored(takenAt) {
        await client.query(
          'update installation set restored_at = facteur_now(), restored_from = $1, held_at = null',
          [takenAt],
        )
      },
    })
    for (const name of names) await client.query(`alter table ${name} enable trigger user`)
    await client.query('commit')
  } finally {
    // Without a commit the transaction ends with the connection.
    await client.end().catch(() => undefined)
  }
}

/** Makes the partitions of the copy, in place of those that migrations made for today. */
export async function makePartitions(
  client: pg.Client,
  partitions: readonly PartitionShape[],
): Promise<void> {
  for (const { name } of await partitionShapes(client))
    await client.query(`drop table ${quoted(name)}`)
  for (const { table, name, bound } of partitions) {
    const { rows } = await client.query<{ options: string | null }>(
      `select array_to_string(reloptions, ', ') as options from pg_class where oid = to_regclass($1)`,
      [quoted(`${table}_default`)],
    )
    const options = rows[0]?.options ?? null
    await client.query(`create table ${quoted(name)} partition of ${quoted(table)} ${bound}`)
    // PostgreSQL copies none from the others.
    if (options !== null) await client.query(`alter table ${quoted(name)} set (${options})`)
  }
}

/** What a database holds that is to become a copy of another one. */
export async function findContent(
  connectionString: string,
): Promise<{ migrations: string[]; isUsed: boolean; others: string[] }> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur restore',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
       order by relname`,
    )
    const names = tables.map(({ name }) => name)
    if (!names.includes('schema_migration')) return { migrations: [], isUsed: false, others: names }
    const { rows } = await client.query<{ name: string }>(
      'select name from schema_migration union all select name from compatible_migration order by name',
    )
    // The first start and the first command each make one of these rows.
    const used = names.includes('installation')
      ? await client.query('select from installation union all select from workspace limit 1')
      : { rowCount: 0 }
    return { migrations: rows.map(({ name }) => name), isUsed: used.rowCount !== 0, others: [] }
  } finally {
    await client.end()
  }
}
