/** The partitions of a table: which exist, and the statements that make, fill and drop them. */
import { insertPartitionSample } from '../connection/partition-sample.ts'
import { sql, type Connection, type Database, type Statement } from '../connection/connect.ts'
import { boundOf, partitionName } from './partition-periods.ts'
import type { PartitionedTable } from './partitioned-tables.ts'

export interface Partition {
  name: string
  isDefault: boolean
  /** In milliseconds since 1970; null: from the beginning. */
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
      from pg_class p left join pg_inherits i on i.inhparent = p.oid left join pg_class c on c.oid = i.inhrelid
      where p.oid = to_regclass(${table}) and p.relkind = 'p'
    )
    select name, bound = 'DEFAULT' as "isDefault",
      (extract(epoch from facteur_partition_time(substring(bound from 'FROM \\(''([^'']+)''\\)'))) * 1000)::bigint as "fromMs",
      (extract(epoch from facteur_partition_time(substring(bound from 'TO \\(''([^'']+)''\\)'))) * 1000)::bigint as "toMs"
    from bounds order by "toMs" nulls last`)
  return rows.length === 0 ? null : rows.filter(({ name }) => name !== null)
}

/** One process changes partitions at a time; the number is any that nothing else in this database locks. */
const partitionLock = 7_305_203

/**
 * Waits for locks are short: those who wait for one hold up everybody behind them. PostgreSQL looks for deadlocks after a
 * second (`deadlock_timeout`): this side has given way before, so that it never ends a statement of the service.
 */
const lockTimeoutMs = 900

/** Rows that move out of a default partition take longer than other statements. */
const changeMs = 300_000

/** Runs the statements of a change in one transaction; null when another process changes partitions now. */
export function changePartitions<T>(db: Connection, work: (tx: Database) => Promise<T>): Promise<T | null> {
  return db.transaction(async (tx) => {
    const isOurs = await tx.onlyValue<boolean>(sql`select pg_try_advisory_xact_lock(${partitionLock}) as ours`)
    if (!isOurs) return null
    await tx.ask(plain(`set local lock_timeout = ${lockTimeoutMs}`))
    await tx.ask(plain(`set local statement_timeout = ${changeMs}`))
    return work(tx)
  })
}

/**
 * Makes a partition and attaches it, with the rows of its time that the default partition has taken; answers how many.
 * Where none moves, readers and writers of other partitions go on.
 *
 * While rows move, every reader and writer of the table waits, before it learns which partitions there are. PostgreSQL attaches under
 * a lock that lets them pass: a statement would wait for the default partition, and then look for the rows where they were.
 *
 * `isCurrent`: rows of this time may be coming now. They wait too, since PostgreSQL refuses a row that was on its way to the
 * default partition when its own is attached.
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
  const isUsed = await tx.onlyValue<boolean>(plain(`select exists (select from ${fallback} where ${inRange}) as used`))
  if (range.isCurrent || isUsed) await lockWhole(tx, table)
  let moved = 0
  if (range.isCurrent || isUsed) {
    moved = await tx.count(plain(`insert into ${name} select * from ${fallback} where ${inRange}`))
    await tx.ask(plain(`delete from ${fallback} where ${inRange}`))
  }
  await tx.ask(plain(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`))
  return moved
}

/** Not its partitions: statements reach them through the table. Those that hold one already end first. */
async function lockWhole(tx: Database, table: string): Promise<void> {
  await tx.ask(plain(`lock table only ${table} in access exclusive mode`))
}

export interface PeriodRange {
  fromMs: number
  toMs: number
}

/** Settings of storage and of autovacuum are those of the default partition: PostgreSQL copies none. */
async function copyOptions(tx: Database, { from, to }: { from: string; to: string }): Promise<void> {
  const options = await tx.value<string>(sql`
    select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(${from})`)
  if (options !== null) await tx.ask(plain(`alter table ${to} set (${options})`))
}

/** The planner must not take a new partition for an empty one (docs/decisions/0045). */
async function countSample(tx: Database, { table, partition }: { table: string; partition: string }): Promise<void> {
  await insertPartitionSample((text) => tx.ask(plain(text)), { table, partition })
  await tx.ask(plain(`analyze ${partition}`))
  await tx.ask(plain(`delete from ${partition} where xmin = pg_current_xact_id()::xid`))
}

/** Blocks writers of the partition, so that what was checked of it stays true until the end of the transaction. */
export async function lockPartition(tx: Database, name: string): Promise<void> {
  await tx.ask(plain(`lock table ${name} in share row exclusive mode`))
}

/** After this the rows are in no table that statements read. `dropTable` removes them. */
export async function detachPartition(tx: Database, { table, name }: { table: string; name: string }): Promise<void> {
  await tx.ask(plain(`alter table ${table} detach partition ${name}`))
}

/**
 * Replaces a partition by one that has only the rows which stay; answers the name of the former one, detached. Null, with
 * nothing changed, when more than half of the rows stay, and `nothing stays` when none does. The partition must be locked.
 */
export async function compactPartition(
  tx: Database,
  { table, key, keyType }: NamedTable,
  { name, fromMs, toMs, stays }: { name: string; fromMs: number | null; toMs: number; stays: string },
): Promise<string | 'nothing stays' | null> {
  const counted = await tx.onlyRow<{ all: number; stay: number }>(
    plain(`select count(*)::int as all, count(*) filter (where ${stays})::int as stay from ${name} t`),
  )
  if (counted.stay === 0) return 'nothing stays'
  if (counted.stay * 2 > counted.all) return null
  const former = `${name}_former`
  const from = fromMs === null ? 'minvalue' : `'${boundOf(fromMs, keyType)}'`
  const to = `'${boundOf(toMs, keyType)}'`
  await lockWhole(tx, table)
  await tx.ask(plain(`alter table ${name} rename to ${former}`))
  await tx.ask(plain(`create table ${name} (like ${table} including all)`))
  await copyOptions(tx, { from: former, to: name })
  await countSample(tx, { table, partition: name })
  // It proves to the attachment that no row lies outside, so that none is read for that.
  const lower = fromMs === null ? '' : `${key} >= ${from} and `
  await tx.ask(plain(`alter table ${name} add constraint ${name}_range check (${lower}${key} < ${to})`))
  await tx.ask(plain(`insert into ${name} select t.* from ${former} t where ${stays}`))
  await detachPartition(tx, { table, name: former })
  await tx.ask(plain(`alter table ${table} attach partition ${name} for values from (${from}) to (${to})`))
  await tx.ask(plain(`alter table ${name} drop constraint ${name}_range`))
  return former
}

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

/** A statement of names and bounds of ours, which cannot be parameters. */
export const plain = (text: string): Statement => ({ name: '', text, values: [], query_timeout: changeMs + 5_000 })
