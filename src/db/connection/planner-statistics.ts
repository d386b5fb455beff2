/**
 * Gives the planner statistics of tables that have few rows or none, so that plans made now stay right when the tables grow
 * (docs/decisions/0045-planner-statistics-after-migrating.md).
 *
 * 1. Find the tables that look all but empty to the planner, or have no statistics: new ones, those of a restored copy, and those
 *    that VACUUM or a new index has counted.
 * 2. Count each once more.
 * 3. If it has few rows: insert sample rows, count, and delete them, in one transaction. No other session ever sees them.
 *
 * Processes do it one after the other, under the lock of `migrate.ts`; it is one look-up when nothing is to be done.
 */
import type pg from 'pg'
import { plannerSamples, sampleParents } from './planner-samples.ts'

interface FoundTable {
  name: string
  isOwned: boolean
}

/** The longest wait for a table that another session vacuums or locks. The next start tries it again. */
const lockTimeoutMs = 2_000

/** Returns the tables that only their owner can count, since the user of `client` does not own them. */
export async function completePlannerStatistics(client: pg.Client, signal?: AbortSignal): Promise<string[]> {
  const found = await findUnlocked(client)
  for (const { name, isOwned } of found) {
    signal?.throwIfAborted()
    if (isOwned) await completeTable(client, name)
  }
  return found.flatMap(({ name, isOwned }) => (isOwned ? [] : [name]))
}

/** A query for a table's size waits for its locks, such as VACUUM FULL: after a timeout, the next start tries again. */
async function findUnlocked(client: pg.Client): Promise<FoundTable[]> {
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  try {
    return await findTables(client, Object.keys(plannerSamples))
  } catch (error) {
    if (isLockTimeout(error)) return []
    throw error
  } finally {
    await client.query('reset lock_timeout')
  }
}

/**
 * Selects the tables that held fewer than half the rows of their sample when they were last counted, or have no statistics.
 * It reads the catalog alone, and so waits for no lock on a table.
 */
async function findTables(client: pg.Client, names: string[]): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(
    `select t.name, pg_has_role(c.relowner, 'usage') as "isOwned"
     from unnest($1::text[], $2::int[]) as t (name, rows)
     join pg_class c on c.oid = to_regclass(quote_ident(t.name)) and c.relkind = 'r'
     where c.reltuples < t.rows / 2
       or not exists (select from pg_stats s where s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname)`,
    [names, names.map((name) => plannerSamples[name]?.rows ?? 0)],
  )
  return rows
}

async function completeTable(client: pg.Client, name: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(`analyze ${name}`)
    if ((await findTables(client, [name])).length > 0) await countSample(client, name)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    if (!isLockTimeout(error)) throw new Error(`The statistics of ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

async function countSample(client: pg.Client, name: string): Promise<void> {
  const sample = plannerSamples[name]
  if (!sample) return
  const parent = sample.parent && sampleParents[sample.parent]
  for (const statement of parent?.insert ?? []) await client.query(statement)
  await client.query(`insert into ${name} (${sample.columns}) select ${sample.values} from generate_series(1, ${sample.rows}) n`)
  await client.query(`analyze ${name}`)
  // All rows of this transaction are samples.
  for (const table of [name, ...(parent?.tables ?? [])])
    await client.query(`delete from ${table} where xmin = pg_current_xact_id()::xid`)
}

/** SQLSTATE 55P03, lock_not_available. */
const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03'
