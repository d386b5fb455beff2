/** The partitions of a table: which exist, and the statements that make, fill and drop them. */
import { insertPartitionSample } from '../planner/partition-sample.ts'
import { plannerSamples } from '../schema/planner-samples.ts'
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import { plain } from './change-partitions.ts'
import { boundOf, partitionName } from './partition-periods.ts'
import type { PartitionedTable } from '../schema/partitioned-tables.ts'

export interface Partition {
  name: string
  isDefault: boolean
  /** In milliseconds since 1970. Null means from the beginning. */
  fromMs: number | null
  /** Not included. Null only of the default partition. */
  toMs: number | null
}

export interface NamedTable extends PartitionedTable {
  table: string
}

/** The partitions by time, the default one last; null when the table is not partitioned. */
export async function partitionsOf(db: Database, table: string): Promise<Partition[] | null> {
  const rows = await db.rows<Partition & { name: string | null }>(sql`
    with bounds as (
      select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_class p
      left join pg_inherits i on i.inhparent = p.oid
      left join pg_class c on c.oid = i.inhrelid
      where p.oid = to_regclass(${table}) and p.relkind = 'p'
    )
    select name, bound = 'DEFAULT' as is_default,
      (1000 * extract(epoch from
        facteur_partition_time(substring(bound from 'FROM \\(''([^'']+)''\\)'))))::bigint as from_ms,
      (1000 * extract(epoch from
        facteur_partition_time(substring(bound from 'TO \\(''([^'']+)''\\)'))))::bigint as to_ms
    from bounds order by to_ms nulls last`)
  return rows.length === 0 ? null : rows.filter(({ name }) => name !== null)
}

/**
 * Makes a partition and attaches it, with the rows of its time that the default partition has
 * taken; answers how many. Where none moves, readers and writers of other partitions go on.
 *
 * While rows move, every reader and writer of the table waits, before it learns which partitions
 * there are. PostgreSQL attaches under a lock that lets them pass: a statement would wait for the
 * default partition, and then look for the rows where they were.
 *
 * `isCurrent`: rows of this time may be coming now. They wait too, since PostgreSQL refuses a row
 * that was on its way to the default partition when its own is attached.
 */
export async function makePartition(
  tx: Database,
  { table, key, keyType }: NamedTable,
  range: PeriodRange & { isCurrent: boolean },
): Promise<number> {
  const name = partitionName(table, range)
  const fallback = `${table}_default`
  const [from, to] = [boundOf(range.fromMs, keyType), boundOf(range.toMs, keyType)]
  const inRange = `${key} >= '${from}' and ${key} < '${to}'`
  await tx.ask(plain(`create table ${name} (like ${table} including all)`))
  await copyOptions(tx, { from: fallback, to: name })
  await countSample(tx, { table, partition: name })
  const isUsed = await tx.onlyValue<boolean>(
    plain(`select exists (select from ${fallback} where ${inRange}) as used`),
  )
  let moved = 0
  if (range.isCurrent || isUsed) {
    await lockWhole(tx, table)
    moved = await tx.count(plain(`insert into ${name} select * from ${fallback} where ${inRange}`))
    await tx.ask(plain(`delete from ${fallback} where ${inRange}`))
  }
  await tx.ask(
    plain(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`),
  )
  return moved
}

/**
 * Above this, PostgreSQL would read the default partition for too long while a partition is
 * attached and everybody waits.
 */
const readMaxBytes = 8 * 1024 * 1024

export async function isDefaultLarge(db: Database, table: string): Promise<boolean> {
  return db.onlyValue<boolean>(
    sql`select pg_relation_size(to_regclass(${`${table}_default`})) > ${readMaxBytes} as large`,
  )
}

/** Of a time to come, so that it refuses no row. */
export async function addProof(
  tx: Database,
  { table, key, keyType }: NamedTable,
  { fromMs, toMs }: PeriodRange,
): Promise<void> {
  const outside = `${key} < '${boundOf(fromMs, keyType)}' or ${key} >= '${boundOf(toMs, keyType)}'`
  await tx.ask(
    plain(
      `alter table ${table}_default add constraint ${table}_default_proof check (${outside}) not valid`,
    ),
  )
}

/** Reads the default partition while others read and write it: the attachment then need not. */
export async function validateProof(tx: Database, table: string): Promise<void> {
  await tx.ask(plain(`alter table ${table}_default validate constraint ${table}_default_proof`))
}

export async function dropProof(tx: Database, table: string): Promise<void> {
  await tx.ask(
    plain(`alter table ${table}_default drop constraint if exists ${table}_default_proof`),
  )
}

/** It stays where a process ended between two steps, and would refuse rows later. */
export function hasProof(db: Database, table: string): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from pg_constraint
      where conrelid = to_regclass(${`${table}_default`}) and conname = ${`${table}_default_proof`}) as has`)
}

/**
 * Not its partitions: statements reach them through the table. Those that hold one already end
 * first.
 */
export async function lockWhole(tx: Database, table: string): Promise<void> {
  await tx.ask(plain(`lock table only ${table} in access exclusive mode`))
}

export interface PeriodRange {
  fromMs: number
  toMs: number
}

/**
 * Settings of storage and of autovacuum are those of the default partition: PostgreSQL copies none.
 */
async function copyOptions(
  tx: Database,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const options = await tx.value<string>(sql`
    select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(${from})`)
  if (options !== null) await tx.ask(plain(`alter table ${to} set (${options})`))
}

/** The planner must not take a new partition for an empty one (planner-statistics.ts). */
async function countSample(
  tx: Database,
  { table, partition }: { table: string; partition: string },
): Promise<void> {
  const sample = plannerSamples[table]
  if (sample)
    await insertPartitionSample((text) => tx.ask(plain(text)), { table, partition, sample })
  await tx.ask(plain(`analyze ${partition}`))
  // It was made in this transaction. On a node, the rows' transaction has another number than this
  // one.
  await tx.ask(plain(`delete from ${partition}`))
}

/**
 * Blocks writers of the partition, so that what was checked of it stays true until the end of the
 * transaction.
 */
export async function lockPartition(tx: Database, name: string): Promise<void> {
  await tx.ask(plain(`lock table ${name} in share row exclusive mode`))
}

/** After this the rows are in no table that statements read. `dropTable` removes them. */
export async function detachPartition(
  tx: Database,
  { table, name }: { table: string; name: string },
): Promise<void> {
  await tx.ask(plain(`alter table ${table} detach partition ${name}`))
}

/** A partition by time, not the default one. */
export interface RangePartition extends Partition {
  toMs: number
}

/**
 * Makes a table beside a partition, with the rows of these messages or campaigns;
 * `replacePartition` puts it in its place.
 */
export async function copyPartition(
  tx: Database,
  { table, key, keyType }: NamedTable,
  { name, fromMs, toMs }: RangePartition,
  keys: RowKeys,
): Promise<void> {
  const copy = `${name}_copy`
  await tx.ask(plain(`create table ${copy} (like ${table} including all)`))
  await copyOptions(tx, { from: name, to: copy })
  await countSample(tx, { table, partition: copy })
  // It proves to the attachment that no row lies outside, so that none is read for that.
  const lower = fromMs === null ? '' : `${key} >= '${boundOf(fromMs, keyType)}' and `
  await tx.ask(
    plain(
      `alter table ${copy} add constraint ${copy}_range check (${lower}${key} < '${boundOf(toMs, keyType)}')`,
    ),
  )
  await tx.ask(
    plain(`insert into ${copy} select t.* ${rowsOfKeys(name, key)}`, [keys.workspaceIds, keys.ids]),
  )
}

/** Answers the name of the former partition, detached. The whole table must be locked. */
export async function replacePartition(
  tx: Database,
  { table, keyType }: NamedTable,
  { name, fromMs, toMs }: RangePartition,
): Promise<string> {
  const [copy, former] = [`${name}_copy`, `${name}_former`]
  const from = fromMs === null ? 'minvalue' : `'${boundOf(fromMs, keyType)}'`
  await detachPartition(tx, { table, name })
  await tx.ask(plain(`alter table ${name} rename to ${former}`))
  await tx.ask(plain(`alter table ${copy} rename to ${name}`))
  await tx.ask(
    plain(
      `alter table ${table} attach partition ${name}
       for values from (${from}) to ('${boundOf(toMs, keyType)}')`,
    ),
  )
  await tx.ask(plain(`alter table ${name} drop constraint ${copy}_range`))
  return former
}

/** Messages or campaigns, each with its workspace. */
export interface RowKeys {
  workspaceIds: number[]
  ids: string[]
}

/** Rows of these messages or campaigns in a partition. */
export function countRowsOf(
  db: Database,
  { name, key }: { name: string; key: string },
  { workspaceIds, ids }: RowKeys,
): Promise<number> {
  if (ids.length === 0) return Promise.resolve(0)
  return db.onlyValue<number>(
    plain(`select count(*)::int as count ${rowsOfKeys(name, key)}`, [workspaceIds, ids]),
  )
}

/** Whether a partition has so many rows; it reads no more. */
export const hasRows = (db: Database, name: string, count: number): Promise<boolean> =>
  db.onlyValue<boolean>(
    plain(`select count(*) = ${count} as has from (select from ${name} limit ${count}) rows`),
  )

const rowsOfKeys = (name: string, key: string): string =>
  `
    from unnest($1::bigint[], $2::uuid[]) k (workspace_id, id)
    join ${name} t on t.workspace_id = k.workspace_id and t.${key} = k.id`

export async function dropTable(tx: Database, name: string): Promise<void> {
  await tx.ask(plain(`drop table if exists ${name}`))
}

/** Partitions that were detached by a process that ended before it dropped them. */
export function detachedPartitions(db: Database, table: string): Promise<string[]> {
  return db.column<string>(sql`
    select relname from pg_class
    where relkind = 'r' and not relispartition and relnamespace = current_schema()::regnamespace
      and relname ~ ('^' || ${table} || '_([0-9]{8}|to)_[0-9]{8}(_former)?$')`)
}

/** Rows of a period that the default partition has, `max` at most. */
export function countInDefault(
  db: Database,
  { table, key, keyType }: NamedTable,
  range: PeriodRange,
  max: number,
): Promise<number> {
  const [from, to] = [boundOf(range.fromMs, keyType), boundOf(range.toMs, keyType)]
  return db.onlyValue<number>(
    plain(`
      select count(*)::int as count from (
        select from ${table}_default where ${key} >= '${from}' and ${key} < '${to}' limit ${max}) used`),
  )
}
