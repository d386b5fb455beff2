/**
 * Plans the missing migrations without running them: what each statement locks, from its text; how
 * large the tables are, from the catalog; and about how long it takes, from how fast this database
 * reads now.
 */
import { columnList } from '../client/fragment.ts'
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import { isOutside, migrationsFolder, readMigrations, type Migration } from './migration-files.ts'
import { schemaState } from './schema-state.ts'
import {
  locksOf,
  lockModes,
  type LockMode,
  type LockedWork,
  type StatementLock,
} from './statement-locks.ts'
import { shapeOf, statementsOf } from './statement-text.ts'

export interface MigrationPlan {
  migrations: PlannedMigration[]
  /**
   * Bytes a second that this database reads, as measured for this plan. Null means no table of the
   * plan is large enough to measure.
   */
  bytesPerSecond: number | null
}

export interface PlannedMigration {
  name: string
  /** Whether all of it is one transaction, so that each lock is held to its end. */
  isOneTransaction: boolean
  /** Locks on tables that are in the database now: the strongest of each table. */
  locks: PlannedLock[]
  /** About how long all of it takes. */
  seconds: number
}

export interface PlannedLock {
  table: string
  mode: LockMode
  waits: 'reads and writes' | 'writes' | 'writes of the same rows' | 'nobody'
  /** How long it is held, about; 0 is a moment. */
  seconds: number
  /** With its TOAST table; without its indexes. */
  bytes: number
  /** As last counted by the planner. */
  rows: number
  /** The statement that takes it, as one line. */
  statement: string
}

/** Reads the catalog and a few megabytes of one table, and changes nothing. */
export async function planMigrations(
  db: Database,
  folder: string = migrationsFolder,
): Promise<MigrationPlan> {
  const { missing } = await schemaState(db, folder)
  const files = readMigrations(folder).filter(({ name }) => missing.includes(name))
  const read = files.map((file) => ({
    file,
    statements: statementsOf(file.text).map(readStatement),
  }))
  const named = read.flatMap(({ statements }) => statements.flatMap(({ locks }) => locks))
  const tables = await findTables(db, {
    names: [...new Set(named.map(({ table }) => table))],
    schemas: await schemasOfCells(db),
  })
  const bytesPerSecond = await measure(db, [...tables.values()])
  return {
    bytesPerSecond,
    migrations: read.map(({ file, statements }) =>
      planFile(file, statements, { tables, bytesPerSecond }),
    ),
  }
}

interface ReadStatement {
  shape: string
  locks: StatementLock[]
}

const readStatement = (statement: string): ReadStatement => ({
  shape: shapeOf(statement),
  locks: locksOf(statement),
})

interface Table {
  /** The name that a statement has for it: its own, or that of one of its indexes. */
  named: string
  table: string
  bytes: number
  indexBytes: number
  rows: number
}

interface Measured {
  tables: Map<string, Table>
  bytesPerSecond: number | null
}

function planFile(
  file: Migration,
  statements: ReadStatement[],
  measured: Measured,
): PlannedMigration {
  const isOneTransaction = !isOutside(file)
  const taken = statements.map(({ shape, locks }) => {
    const result = locks.flatMap(({ table: name, mode, work }) => {
      const table = measured.tables.get(name)
      return table
        ? [{ table, mode, seconds: secondsOf({ mode, work, table }, measured.bytesPerSecond) }]
        : []
    })
    return { shape, found: result, seconds: result.reduce((sum, { seconds }) => sum + seconds, 0) }
  })
  const locks = taken.flatMap(({ shape, found: result }, index) => {
    const rest = taken.slice(index + 1).reduce((sum, { seconds }) => sum + seconds, 0)
    return result.map(({ table: { table, bytes, rows }, mode, seconds }): PlannedLock => {
      const lockSeconds = isOneTransaction ? seconds + rest : seconds
      return {
        ...{ table, mode, waits: waitsFor(mode), seconds: lockSeconds, bytes, rows },
        statement: shape.slice(0, 120),
      }
    })
  })
  const seconds = taken.reduce((sum, statement) => sum + statement.seconds, 0)
  return { name: file.name, isOneTransaction, locks: strongest(locks), seconds }
}

/** One lock for each table and each kind of waiting: the longest of them. */
function strongest(locks: PlannedLock[]): PlannedLock[] {
  const order = (mode: LockMode): number => lockModes.indexOf(mode)
  return [...Map.groupBy(locks, ({ table, waits }) => `${table} ${waits}`).values()]
    .flatMap((same) =>
      same.toSorted((a, b) => b.seconds - a.seconds || order(b.mode) - order(a.mode)).slice(0, 1),
    )
    .toSorted((a, b) => order(b.mode) - order(a.mode) || b.bytes - a.bytes)
}

/** PostgreSQL, Explicit Locking: reads take ACCESS SHARE, writes ROW EXCLUSIVE. */
function waitsFor(mode: LockMode): PlannedLock['waits'] {
  switch (mode) {
    case 'ACCESS EXCLUSIVE':
      return 'reads and writes'
    case 'SHARE':
    case 'SHARE ROW EXCLUSIVE':
      return 'writes'
    case 'ROW EXCLUSIVE':
      return 'writes of the same rows'
    case 'SHARE UPDATE EXCLUSIVE':
      return 'nobody'
  }
}

/** Where nothing was measured: a slow disk. */
const bytesPerSecondAssumed = 50_000_000

/** ANALYZE reads 300 pages for each unit of the statistics target, which is 100. */
const sampledBytesMax = 300 * 100 * 8_192

/**
 * How many times longer than reading the table each takes, about: measured on 700,000 rows of 350
 * bytes with a key. Changing rows writes them again, with an entry in each index.
 */
const passes: Record<Exclude<LockedWork, 'moment' | 'sample'>, number> = {
  read: 1,
  rows: 16,
  index: 4,
  rewrite: 8,
}

function secondsOf(
  { mode, work, table }: { mode: LockMode; work: LockedWork; table: Table },
  bytesPerSecond: number | null,
): number {
  const rate = bytesPerSecond ?? bytesPerSecondAssumed
  if (work === 'moment') return 0
  if (work === 'sample') return Math.min(table.bytes, sampledBytesMax) / rate
  const bytes = work === 'rewrite' ? table.bytes + table.indexBytes : table.bytes
  // An index that is made while others write reads its table a second time.
  const again = work === 'index' && mode === 'SHARE UPDATE EXCLUSIVE' ? 1.5 : 1
  return (bytes * passes[work] * again) / rate
}

/** A file goes through the tables of one cell after the other. An older database has no cells. */
async function schemasOfCells(db: Database): Promise<string[]> {
  if (!(await db.onlyValue<boolean>(sql`select to_regclass('cell') is not null`))) return []
  return db.column<string>(sql`select schema from cell where id <> 1`)
}

/**
 * Those that are there, by the names that statements have for them; of a partitioned table all
 * partitions together, and of a table of cells those of every cell.
 */
async function findTables(
  db: Database,
  { names, schemas }: { names: string[]; schemas: string[] },
): Promise<Map<string, Table>> {
  const rows = await db.rows<Table>(sql`
    select n.name as named, t.relname as table, s.bytes, s.index_bytes, s.rows
    from unnest(${names}::text[]) as n (name)
    join pg_class c on c.oid = to_regclass(quote_ident(n.name)) and c.relkind in ('r', 'p', 'i', 'I')
    left join pg_index i on i.indexrelid = c.oid
    join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
    cross join lateral (
      select sum(pg_table_size(part.oid))::int8 as bytes, sum(pg_indexes_size(part.oid))::int8 as index_bytes,
        sum(greatest(0, part.reltuples))::int8 as rows
      from (
        select t.oid union all
        select o.oid
        from pg_class o
        where o.relname = t.relname and o.relkind in ('r', 'p')
          and o.relnamespace::regnamespace::text = any (${schemas}::text[])
      ) whole
      join pg_class part on part.oid = whole.oid
        or part.oid in (select inhrelid from pg_inherits where inhparent = whole.oid)
    ) s`)
  return new Map(rows.map((row) => [row.named, row]))
}

/** Less is read too fast to measure; more would take long on a slow disk. */
const [measuredMin, measuredMax] = [4_000_000, 64_000_000]

/** How fast the largest table is read, from pages all over it. */
async function measure(db: Database, tables: Table[]): Promise<number | null> {
  const [largest] = tables.toSorted((a, b) => b.bytes - a.bytes)
  if (!largest || largest.bytes < measuredMin) return null
  const share = Math.min(1, measuredMax / largest.bytes)
  const row = await db.onlyRow<{ 'QUERY PLAN': { 'Execution Time': number }[] }>(sql`
    explain (analyze, timing off, format json)
    select count(*) from ${columnList([largest.table])} tablesample system (${share * 100}::float8)`)
  const ms = row['QUERY PLAN'][0]?.['Execution Time'] ?? 0
  return Math.round((largest.bytes * share) / (Math.max(ms, 1) / 1_000))
}
