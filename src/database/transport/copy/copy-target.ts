/**
 * The database that becomes a copy. Until it is in use it has tables of its own that say so: what
 * it is a copy of, which leaves are complete, and the indexes and foreign keys that are made again
 * at the end. A start refuses such a database.
 */
import type pg from 'pg'
import { makePartitions } from '../load-tables.ts'
import type { SequenceState } from '../read-snapshot.ts'
import { partitionShapes, quoted, type PartitionShape } from '../table-shapes.ts'
import type { CopiedTable } from '../copied-tables.ts'
import { inTransactionOf } from '../copy-client.ts'

export interface CopyMark {
  /** A copy is continued only under the same number. */
  copy: string
  /** The fingerprint of the installation's master key. Null if it never was started. */
  installation: string | null
  migrations: string[]
}

/** What the database is an unfinished copy of. Null if it is none. */
export async function readMark(client: pg.ClientBase): Promise<CopyMark | null> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('copy_target') is not null as "isThere"`,
  )
  if (!rows[0]?.isThere) return null
  const result = await client.query<CopyMark>(
    'select copy, installation, migrations from copy_target',
  )
  return result.rows[0] ?? null
}

/**
 * Whether a switch has put everything there: its last transaction takes the last definitions away,
 * and a copy that goes on brings them back. Only the source knows whether it was decided.
 */
export async function isSwitchedCopy(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query('select from copy_definition limit 1')
  return rowCount === 0
}

/**
 * Empties the tables, makes the partitions of the source, and takes away what would cost time with
 * each row or refuse some of them meanwhile: secondary indexes, foreign keys and triggers. A
 * constraint holds at the end, when all rows are of one moment.
 */
export function prepareTarget(
  client: pg.Client,
  {
    mark,
    tables,
    partitions,
  }: { mark: CopyMark; tables: readonly CopiedTable[]; partitions: readonly PartitionShape[] },
): Promise<void> {
  return inTransactionOf(client, 'begin', async () => {
    await client.query(`
      drop table if exists copy_target, copy_leaf, copy_definition;
      create table copy_target (copy text not null, installation text, migrations text[] not null);
      create table copy_leaf (name text primary key, rows bigint not null);
      create table copy_definition (
        position bigint generated always as identity, statement text not null, undo text not null,
        is_key boolean not null)`)
    await client.query(
      'insert into copy_target (copy, installation, migrations) values ($1, $2, $3)',
      [mark.copy, mark.installation, mark.migrations],
    )
    if (tables.length > 0)
      await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
    await client.query(rememberIndexes)
    await takeConstraints(client, tables)
    const { rows } = await client.query<{ undo: string }>(
      'select undo from copy_definition where not is_key',
    )
    for (const { undo } of rows) await client.query(undo)
    await makePartitions(client, partitions)
  })
}

/**
 * Takes foreign keys and triggers away, also those that an earlier run had put back before its last
 * step failed.
 */
export async function takeConstraints(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<void> {
  const { rows } = await client.query<{ undo: string }>(rememberKeys)
  for (const { undo } of rows) await client.query(undo)
  for (const { name } of tables)
    await client.query(`alter table ${quoted(name)} disable trigger user`)
}

/** Those of partitions follow that of their table. */
const rememberIndexes = `
  insert into copy_definition (statement, undo, is_key)
  select replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), format('drop index %I', x.relname),
    false
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not exists (
      select from pg_constraint k
      where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`

/** `not valid`: PostgreSQL checks the rows that are there afterwards. */
const rememberKeys = `
  insert into copy_definition (statement, undo, is_key)
  select format('alter table %I add constraint %I %s%s', c.relname, k.conname, pg_get_constraintdef(k.oid),
      case when pg_get_constraintdef(k.oid) like '% NOT VALID' then '' else ' not valid' end),
    format('alter table %I drop constraint %I', c.relname, k.conname), true
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.connamespace = current_schema()::regnamespace and k.contype = 'f' and k.conparentid = 0
  returning undo`

export async function copiedLeaves(client: pg.ClientBase): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; rows: string }>(
    'select name, rows::text from copy_leaf',
  )
  return new Map(rows.map(({ name, rows: count }) => [name, Number(count)]))
}

export async function rememberLeaf(
  client: pg.ClientBase,
  name: string,
  rows: number,
): Promise<void> {
  await client.query(
    `insert into copy_leaf (name, rows) values ($1, $2)
     on conflict (name) do update set rows = excluded.rows`,
    [name, rows],
  )
}

/** These rows will be copied again. */
export async function forgetLeaves(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<void> {
  const names = tables.flatMap(({ leaves }) => leaves.map(({ name }) => name))
  await client.query('delete from copy_leaf where name = any ($1)', [names])
}

/**
 * Makes of an unfinished copy what it was before: the tables of its migrations, empty, and no mark.
 */
export function undoPreparation(client: pg.Client, tables: readonly CopiedTable[]): Promise<void> {
  return inTransactionOf(client, 'begin', async () => {
    if (tables.length > 0)
      await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
    const { rows } = await client.query<{ statement: string }>(
      'select statement from copy_definition order by is_key, position',
    )
    for (const { statement } of rows) await client.query(statement)
    for (const { name } of tables)
      await client.query(`alter table ${quoted(name)} enable trigger user`)
    await removeMark(client)
  })
}

/**
 * Whether both have the same partitions; an upkeep between two runs of a copy may have changed
 * those of the source.
 */
export async function hasPartitions(
  client: pg.ClientBase,
  partitions: readonly PartitionShape[],
): Promise<boolean> {
  return JSON.stringify(await partitionShapes(client)) === JSON.stringify(partitions)
}

/**
 * Makes the secondary indexes again, each in a transaction of its own, and counts the rows for the
 * planner.
 */
export async function makeIndexes(
  client: pg.Client,
  {
    onIndex,
    signal,
  }: { onIndex(done: number, of: number): void; signal?: AbortSignal | undefined },
): Promise<void> {
  await client.query(`set maintenance_work_mem = '128MB'`)
  const { rows } = await client.query<{ position: string; statement: string }>(
    'select position::text, statement from copy_definition where not is_key order by position',
  )
  for (const [done, { position, statement }] of rows.entries()) {
    signal?.throwIfAborted()
    onIndex(done, rows.length)
    await inTransactionOf(client, 'begin', async () => {
      await client.query(statement)
      await client.query('delete from copy_definition where position = $1', [position])
    })
  }
  await client.query('reset maintenance_work_mem')
}

/**
 * Counts the tables that have rows; those of an empty one stay what the migrations made of them.
 */
export async function countForPlanner(
  client: pg.Client,
  tables: readonly CopiedTable[],
): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`)
    if (rowCount) await client.query(`analyze ${quoted(name)}`)
  }
}

/** A value that was taken since leaves a gap, as a rolled back one does. */
export async function setSequences(
  client: pg.ClientBase,
  sequences: readonly SequenceState[],
): Promise<void> {
  for (const { name, value, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2, $3)', [quoted(name), value, isCalled])
}

/**
 * Foreign keys and triggers are back; what follows writes as the service does. Within a transaction
 * of the caller.
 */
export async function restoreConstraints(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    'select statement from copy_definition where is_key order by position',
  )
  for (const { statement } of rows) await client.query(statement)
  for (const { name } of tables)
    await client.query(`alter table ${quoted(name)} enable trigger user`)
  await client.query('delete from copy_definition where is_key')
}

/**
 * Writers of these tables end first, and later ones wait for the end of the transaction. Readers go
 * on. After `idleMs` without a statement PostgreSQL ends it by itself: the process that holds the
 * locks may be lost.
 */
export async function lockTables(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
  { idleMs }: { idleMs: number },
): Promise<void> {
  await client.query(`set local idle_in_transaction_session_timeout = ${idleMs}`)
  await client.query(
    `lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in share mode`,
  )
}

/** Takes the mark away: from here on the database is an installation like any other. */
export async function removeMark(client: pg.ClientBase): Promise<void> {
  await client.query('drop table if exists copy_target, copy_leaf, copy_definition')
}

/** Checks the foreign keys on the rows that came before them; writers go on meanwhile. */
export async function validateForeignKeys(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`
    select format('alter table %I validate constraint %I', c.relname, k.conname) as statement
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.connamespace = current_schema()::regnamespace and k.contype = 'f' and not k.convalidated
      and k.conparentid = 0`)
  for (const { statement } of rows) await client.query(statement)
}
