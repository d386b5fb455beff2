/**
 * Migrates a database to this version's schema: the plain SQL files of `migrations/`, forward only,
 * each once. Processes of the previous version go on meanwhile (docs/decisions/0051). A file is one
 * transaction, except where its first line says otherwise: it creates indexes of tables that may be
 * large, while others write.
 */
import type pg from 'pg'
import type { DatabaseClient } from '../client/database-client.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { clearTables, lockTogether, tableLocksOf } from './lock-together.ts'
import { inSchema, hasApplied, markApplied, otherCells } from './migrated-cells.ts'
import {
  isGlobal,
  isOutside,
  migrationsFolder,
  readMigrations,
  readPreviousRelease,
  type Migration,
} from './migration-files.ts'
import { plannerSamples } from './planner-samples.ts'
import { completePlannerStatistics } from '../planner/planner-statistics.ts'
import { statementsOf } from './statement-text.ts'
import { renewSharedTables } from './shared-tables.ts'
import { withShortLocks, type ShortLocks } from './short-locks.ts'
import { whileSchemaIsLocked } from './schema-lock.ts'
import { watchMigration } from './watch-migration.ts'

export interface MigrateOptions {
  folder?: string
  /** The names of the files to apply. Absent means all. */
  only?: readonly string[]
  signal?: AbortSignal
  progress?: (text: string) => void
  /**
   * Whether to complete the planner's statistics when no file was missing, too. Default true;
   * commands leave that to the next start, because sample rows in many tables would cost each of
   * them seconds.
   */
  completesStatistics?: boolean
}

/**
 * Applies missing files, completes the statistics of the planner, and returns the names of the
 * files. Processes that start together do it one after the other. Throws `OperatorError` when the
 * database has a newer version of Facteur, or an applied file has changed since. Throws the reason
 * of `signal` when that is aborted, with the running statement cancelled.
 */
export async function migrate(
  connectionString: string,
  {
    folder = migrationsFolder,
    only,
    signal,
    progress = () => undefined,
    completesStatistics = true,
  }: MigrateOptions = {},
): Promise<string[]> {
  return whileSchemaIsLocked({ connectionString, signal, progress }, async (client) => {
    const floor = readPreviousRelease(folder)?.migration ?? null
    const missing = await findMissing(
      client,
      readMigrations(folder).filter(({ name }) => only?.includes(name) ?? true),
    )
    await raiseFloor(client, floor)
    const watch = (): (() => void) =>
      watchMigration({ connectionString: client.address, pid: client.pid }, progress)
    for (const file of missing) {
      signal?.throwIfAborted()
      await apply({ client, watch, floor, progress, signal }, file)
    }
    if (missing.length > 0) await renewSharedTables(client, { progress, signal })
    const uncounted =
      completesStatistics || missing.length > 0 ? await completeStatistics(client, signal) : []
    if (uncounted.length > 0)
      progress(
        `Run ANALYZE as the owner of these tables, since plans would be slow: ${uncounted.join(', ')}`,
      )
    return missing.map((file) => file.name)
  })
}

/** Of the tables of each cell. */
async function completeStatistics(
  client: DatabaseClient,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const uncounted = await completePlannerStatistics(client, plannerSamples, signal)
  for (const { schema } of await otherCells(client))
    await inSchema(client, schema, async () =>
      uncounted.push(
        ...(await completePlannerStatistics(client, plannerSamples, signal)).map(
          (table) => `${schema}.${table}`,
        ),
      ),
    )
  return uncounted
}

interface AppliedMigration {
  name: string
  hash: string
  /** Whether a process that does not know it cannot work on this database. */
  isRequired: boolean
}

async function findMissing(client: pg.Client, files: Migration[]): Promise<Migration[]> {
  await client.query(`
    create table if not exists schema_migration (
      name text primary key, hash text not null, applied_at timestamptz not null);
    create table if not exists compatible_migration (
      name text primary key, hash text not null, applied_at timestamptz not null)`)
  const { rows } = await client.query<AppliedMigration>(
    `select name, hash, true as "isRequired" from schema_migration
     union all select name, hash, false from compatible_migration order by name`,
  )
  for (const { name, hash, isRequired } of rows) {
    const file = files.find((candidate) => candidate.name === name)
    if (!file && !isRequired) continue
    if (!file)
      throw new OperatorError(
        `The database is of a newer version of Facteur (it has ${name}): start that version. Nothing was changed.`,
      )
    if (file.hash !== hash)
      throw new OperatorError(
        `${name} has changed since it was applied to this database: put the file back and write a new one instead.`,
      )
  }
  return files.filter((file) => !rows.some((row) => row.name === file.name))
}

/** `watch`: the progress of a step that takes long; its result ends it. */
interface Applying extends Omit<ShortLocks, 'what'> {
  client: DatabaseClient
  watch: () => () => void
  /** Newest migration that processes of the previous release know. Null if they know all. */
  floor: string | null
}

async function apply(parts: Applying, file: Migration): Promise<void> {
  const endWatch = parts.watch()
  try {
    await applyInCells(parts, file)
  } catch (error) {
    throw new Error(`${file.name} failed: ${(error as Error).message}`, { cause: error })
  } finally {
    endWatch()
  }
}

/**
 * Cell 1 comes first, since it has the global tables. While other cells lack the file, it counts as
 * missing: `cell.ahead` says which cells have it already, so that a migration that was cut off
 * between two of them goes on at the next.
 */
async function applyInCells(parts: Applying, file: Migration): Promise<void> {
  const { client, floor, progress } = parts
  const others = isGlobal(file) ? [] : await otherCells(client)
  const applyHere = isOutside(file) ? applyEach : applyWhole
  if (others.length === 0) return applyHere(parts, file, () => note(client, file, floor))
  const all = [{ id: 1, schema: null }, ...others]
  for (const [at, { id, schema }] of all.entries()) {
    parts.signal?.throwIfAborted()
    if (await hasApplied(client, id, file.name)) continue
    progress(`${file.name} in cell ${id} (${at + 1} of ${all.length})`)
    const applyOnce = (): Promise<void> =>
      applyHere(parts, file, () => markApplied(client, id, file.name))
    await (schema === null ? applyOnce() : inSchema(client, schema, applyOnce))
  }
  await note(client, file, floor)
}

/** `done` notes that it is applied, in the transaction of the file where it is one. */
type Done = () => Promise<void>

async function applyWhole(
  { client, ...locks }: Applying,
  file: Migration,
  done: Done,
): Promise<void> {
  const tables = await tableLocksOf(client, file.text)
  let isRetry = false
  await withShortLocks(client, { ...locks, what: file.name }, async () => {
    if (isRetry) await clearTables(client, tables)
    isRetry = true
    await client.query('begin')
    try {
      // What waits for its only lock holds none, so that it cannot be part of a deadlock.
      if (tables.length > 1) await lockTogether(client, tables)
      await client.query(file.text)
      await done()
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  })
}

/**
 * A file that failed half-way starts again from its first statement: each is written so that this
 * changes nothing.
 */
async function applyEach(
  { client, ...locks }: Applying,
  file: Migration,
  done: Done,
): Promise<void> {
  for (const statement of statementsOf(file.text)) {
    if (await isOfPartitioned(client, statement)) continue
    await dropUnfinished(client, statement)
    // It waits for older transactions, and nobody waits behind it.
    if (isConcurrent(statement)) await client.query(statement)
    else await withShortLocks(client, { ...locks, what: file.name }, () => client.query(statement))
  }
  await done()
}

const isConcurrent = (statement: string): boolean =>
  /^(?:create|drop) (?:unique )?index concurrently\b/i.test(statement)

/**
 * Whether a statement creates an index of a table that a later statement of its file has
 * partitioned since, so that the file begins again: the index is there, and PostgreSQL creates none
 * of a partitioned table beside its writers.
 */
async function isOfPartitioned(client: pg.Client, statement: string): Promise<boolean> {
  const [, table] =
    /^create (?:unique )?index concurrently if not exists \w+ on (\w+) /i.exec(statement) ?? []
  if (!table) return false
  const { rowCount } = await client.query(
    "select from pg_class where oid = to_regclass($1) and relkind = 'p'",
    [table],
  )
  return rowCount !== 0
}

/**
 * Drops an unfinished index, so that it is created again: it exists by name and is invalid
 * (PostgreSQL: CREATE INDEX CONCURRENTLY).
 */
async function dropUnfinished(client: pg.Client, statement: string): Promise<void> {
  const [, name] =
    /^create (?:unique )?index concurrently if not exists (\w+) /.exec(statement) ?? []
  if (!name) return
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  )
  if (rowCount) await client.query(`drop index concurrently ${name}`)
}

/**
 * Processes read `schema_migration` and stop when it has a name that they do not know. What the
 * previous release can do without stands in a table of its own until the next release raises the
 * floor.
 */
async function note(
  client: pg.Client,
  { name, hash }: Migration,
  floor: string | null,
): Promise<void> {
  const table = floor === null || name <= floor ? 'schema_migration' : 'compatible_migration'
  // Not facteur_now(): the first file creates that function.
  await client.query(
    `insert into ${table} (name, hash, applied_at) values ($1, $2, clock_timestamp())`,
    [name, hash],
  )
}

/**
 * From now on, processes need to know these too: the versions that do not are more than one behind.
 */
async function raiseFloor(client: pg.Client, floor: string | null): Promise<void> {
  await client.query(
    `
      with known as (
        delete from compatible_migration
        where $1::text is null or name collate "C" <= $1
        returning *
      )
      insert into schema_migration (name, hash, applied_at)
      select name, hash, applied_at from known`,
    [floor],
  )
}
