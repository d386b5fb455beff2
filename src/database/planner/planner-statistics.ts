/**
 * Gives the planner statistics of tables that have few rows or none, so that plans made now stay
 * right when the tables grow. It needs the owner of the tables and no superuser.
 *
 * 1. Find the tables that look all but empty to the planner, or have no statistics: new ones, those
 *    of a restored copy, and those that VACUUM or a new index has counted.
 * 2. Count each once more.
 * 3. If it has few rows: insert sample rows, count, and delete them, in one transaction. No other
 *    session ever sees them.
 *
 * Of a partitioned table, each partition has statistics of its own, and the whole has others.
 *
 * Processes do it one after the other, under the lock of `migrate.ts`; it is one look-up when
 * nothing is to be done.
 */
import type pg from 'pg'
import {
  insertPartitionSample,
  partitionSampleRows,
  type PlannerSamples,
} from './partition-sample.ts'

interface FoundTable {
  name: string
  /** The name of its sample: a partition has that of its partitioned table. */
  sample: string
  kind: 'table' | 'partitioned' | 'partition'
  isOwned: boolean
}

/**
 * The longest wait for a table that another session vacuums or locks. The next start tries it
 * again.
 */
const lockTimeoutMs = 2_000

/**
 * Returns the tables that only their owner can count, since the user of `client` does not own them.
 */
export async function completePlannerStatistics(
  client: pg.Client,
  samples: PlannerSamples,
  signal?: AbortSignal,
): Promise<string[]> {
  const unlocked = await findUnlocked(client, samples)
  // Rows that this session wrote before, and that the server counts only after ANALYZE has, would
  // make a table due for autovacuum, which counts it as empty.
  if (unlocked.length > 0) await client.query('select pg_stat_force_next_flush()')
  // Counting a partitioned table counts its partitions too, so it comes before them.
  for (const table of unlocked.filter(({ kind }) => kind === 'partitioned'))
    if (table.isOwned) await completeTable(client, { table, samples, signal })
  const rest = unlocked.some(({ kind }) => kind === 'partitioned')
    ? await findUnlocked(client, samples)
    : unlocked
  for (const table of rest.filter(({ kind }) => kind !== 'partitioned'))
    if (table.isOwned) await completeTable(client, { table, samples, signal })
  return unlocked.flatMap(({ name, isOwned }) => (isOwned ? [] : [name]))
}

/**
 * A query for a table's size waits for its locks, such as VACUUM FULL: after a timeout, the next
 * start tries again.
 */
async function findUnlocked(client: pg.Client, samples: PlannerSamples): Promise<FoundTable[]> {
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  try {
    return await findTables(client, samples)
  } catch (error) {
    if (isLockTimeout(error)) return []
    throw error
  } finally {
    await client.query('reset lock_timeout')
  }
}

/**
 * Selects the tables that held fewer than half the rows of their sample when they were last
 * counted, or have no statistics. It reads the catalog alone, and so waits for no lock on a table.
 */
async function findTables(client: pg.Client, samples: PlannerSamples): Promise<FoundTable[]> {
  const all = Object.entries(samples)
  const { rows } = await client.query<FoundTable>(
    `with sampled as (
       select t.name as sample, c.oid, c.relkind, t.rows from unnest($1::text[], $2::int[]) as t (name, rows)
       join pg_class c on c.oid = to_regclass(quote_ident(t.name)) and c.relkind in ('r', 'p')
     ), all_tables as (
       select sample, oid, case relkind when 'p' then 'partitioned' else 'table' end as kind,
         case relkind when 'p' then least(rows, $3) else rows end as rows from sampled
       union all
       select s.sample, i.inhrelid, 'partition', least(s.rows, $3)
       from sampled s
       join pg_inherits i on i.inhparent = s.oid
     )
     select c.relname as name, t.sample, t.kind, pg_has_role(c.relowner, 'usage') as "isOwned"
     from all_tables t join pg_class c on c.oid = t.oid
     where c.reltuples < t.rows / 2
       or not exists (
         select from pg_stats s
         where s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname)
     order by array_position($1::text[], t.sample)`,
    [all.map(([name]) => name), all.map(([, sample]) => sample.rows), partitionSampleRows],
  )
  const ofNodes = await tablesOfNodes(client)
  return rows.filter(({ name }) => !ofNodes.has(name))
}

/**
 * Citus plans a statement on them with its values, each time, so that they need no sample; it
 * deletes none by its transaction.
 */
async function tablesOfNodes(client: pg.Client): Promise<Set<string>> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
  if (rowCount === 0) return new Set()
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name
     from pg_dist_partition d
     join pg_class c on c.oid = d.logicalrelid
     where pg_table_is_visible(c.oid)`,
  )
  return new Set(rows.map(({ name }) => name))
}

async function completeTable(
  client: pg.Client,
  {
    table,
    samples,
    signal,
  }: { table: FoundTable; samples: PlannerSamples; signal: AbortSignal | undefined },
): Promise<void> {
  const sample = samples[table.sample]
  if (!sample) return
  signal?.throwIfAborted()
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(`analyze ${table.name}`)
    const lacking = (await findTables(client, { [table.sample]: sample })).filter(
      ({ name }) => table.kind === 'partitioned' || name === table.name,
    )
    if (lacking.length > 0) await countSamples(client, sample, { counted: table, lacking })
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    if (!isLockTimeout(error))
      throw new Error(`The statistics of ${table.name} failed: ${(error as Error).message}`, {
        cause: error,
      })
  }
}

/** Inserts samples into the tables that lack statistics, counts, and deletes them. */
async function countSamples(
  client: pg.Client,
  sample: PlannerSamples[string],
  { counted, lacking }: { counted: FoundTable; lacking: FoundTable[] },
): Promise<void> {
  const { parent } = sample
  if (parent) await client.query(parent.insert)
  const filled = lacking.filter(({ kind }) => kind !== 'partitioned')
  for (const { name, kind } of filled)
    await (kind === 'partition'
      ? insertPartitionSample((text) => client.query(text), {
          table: counted.sample,
          partition: name,
          sample,
        })
      : client.query(
          `
            insert into ${name} (${sample.columns})
            select ${sample.values}
            from generate_series(1, ${sample.rows}) n`,
        ))
  await client.query(`analyze ${counted.name}`)
  // All rows of this transaction are samples.
  for (const table of [...filled.map(({ name }) => name), ...(parent ? [parent.table] : [])])
    await client.query(`delete from ${table} where xmin = pg_current_xact_id()::xid`)
}

/** SQLSTATE 55P03, lock_not_available. */
const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'
