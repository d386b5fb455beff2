/**
 * The planner has statistics of tables without rows: they last, and a start
 * completes them after whatever took them away.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { partitionSampleRows } from '../../../src/database/planner/partition-sample.ts'
import { plannerSamples } from '../../../src/database/schema/planner-samples.ts'
import { freshDatabase, runOn } from '../../support/database.ts'
import { plannerLosses } from '../../support/plans.ts'

const { url } = await freshDatabase()
await runOn(url, 'drop schema public cascade; create schema public')
await migrate(url)

interface Table {
  name: string
  tuples: number
  dead: number
  inserted: number
  changed: number
  vacuumAfter: number
  insertsAfter: number
  analyzeAfter: number
}

/**
 * Every table in which rows came and went. A server counts what a connection did once that is at
 * its end.
 */
async function tables(): Promise<Table[]> {
  for (;;) {
    const { rows } = await runOn(
      url,
      `select s.relname as name, c.reltuples::int as tuples, n_dead_tup::int as dead, n_ins_since_vacuum::int as inserted,
        n_mod_since_analyze::int as changed, o.*
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid cross join lateral (
        select coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold'), '50')::int as "vacuumAfter",
          coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_insert_threshold'), '1000')::int as "insertsAfter",
          coalesce(max(option_value) filter (where option_name = 'autovacuum_analyze_threshold'), '50')::int as "analyzeAfter"
        from pg_options_to_table(c.reloptions)) o
      where n_tup_del > 100`,
    )
    if (rows.length > 30) return rows as Table[]
  }
}

const sampled = await tables()

test('no table with a sample is due to be counted again', () => {
  const due = sampled.filter(
    ({ dead, inserted, changed, vacuumAfter, insertsAfter, analyzeAfter }) =>
      dead > vacuumAfter || inserted > insertsAfter || changed > analyzeAfter,
  )
  assert.deepEqual(due, [])
})

test('every table with a sample still counts as one with rows, after any later index', () => {
  assert.deepEqual(
    sampled.filter(({ tuples }) => tuples <= 0).map(({ name }) => name),
    [],
  )
})

test('every table that autovacuum reaches late has a sample, and every sample has its table', async () => {
  const { rows } = await runOn(
    url,
    // A partition stands for its table.
    `select distinct coalesce(i.inhparent, c.oid)::regclass::text as name from pg_class c left join pg_inherits i on i.inhrelid = c.oid
     where array_to_string(reloptions, ' ') like '%autovacuum_analyze_threshold%'`,
  )
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), Object.keys(plannerSamples).toSorted())
})

test('a start on a database that has its statistics writes none', async () => {
  // Autovacuum counts the catalogues whenever it likes; the tables it leaves alone, as the tests
  // above say.
  const written = async () =>
    (
      await runOn(
        url,
        'select starelid, staattnum, xmin from pg_statistic where starelid >= 16384 order by 1, 2',
      )
    ).rows
  const before = await written()
  await migrate(url)
  assert.deepEqual(await written(), before)
})

/** A shop with a few rows, and one in the workspace of the samples: network 192.0.2.1 signed up. */
const lived = `
  insert into plan values ('default', null);
  insert into workspace (id, slug, name, plan, created_at) values (1, 'shop', 'shop', 'default', facteur_now());
  insert into suppression (workspace_id, email, id, reason, created_at)
  select 1, n || '@example.com', gen_random_uuid(), 'manual', facteur_now() from generate_series(1, 30) n;
  insert into sign_up_rate (workspace_id, bucket, since, taken) values (0, '192.0.2.1', facteur_now(), 1);
  insert into user_account (id, email) values (gen_random_uuid(), 'ada@example.com')`

for (const [loss, statements] of Object.entries(plannerLosses))
  test(`${loss}: the next start completes the statistics, and adds no row`, async (t) => {
    const { url: shop } = await freshDatabase(t)
    await runOn(shop, lived)
    const before = await rowCounts(shop)
    for (const statement of statements) await runOn(shop, statement)
    assert.notDeepEqual(await unknownTables(shop), [])
    await Promise.all([migrate(shop), migrate(shop), migrate(shop)])
    assert.deepEqual(await unknownTables(shop), [])
    assert.deepEqual(await rowCounts(shop), before)
  })

test('a table with many rows and no statistics is counted as it is', async (t) => {
  const { url: shop } = await freshDatabase(t)
  await runOn(shop, lived)
  await runOn(
    shop,
    `insert into suppression (workspace_id, email, id, reason, created_at)
     select 1, n || '@example.org', gen_random_uuid(), 'manual', facteur_now() from generate_series(1, 9970) n`,
  )
  await runOn(shop, 'vacuum full suppression')
  await runOn(shop, `delete from pg_statistic where starelid = 'suppression'::regclass`)
  await migrate(shop)
  const { rows } = await runOn(
    shop,
    `select reltuples::int as tuples from pg_class where oid = 'suppression'::regclass`,
  )
  assert.deepEqual(rows, [{ tuples: 10_000 }])
  assert.deepEqual(await unknownTables(shop), [])
})

test('a table that another session vacuums is left to the next start', async (t) => {
  const { url: shop } = await freshDatabase(t)
  await runOn(shop, 'vacuum full soft_bounce, idempotency_key')
  const other = new pg.Client({ connectionString: shop })
  await other.connect()
  await other.query('begin; lock table soft_bounce in share update exclusive mode')
  await migrate(shop)
  assert.deepEqual(await unknownTables(shop), ['soft_bounce'])
  await other.end()
  await migrate(shop)
  assert.deepEqual(await unknownTables(shop), [])
})

test('a locked table that has its statistics delays no start', async (t) => {
  const { url: shop } = await freshDatabase(t)
  const other = new pg.Client({ connectionString: shop })
  await other.connect()
  await other.query('begin; lock table feedback in access exclusive mode')
  assert.deepEqual(await migrate(shop), [])
  await other.end()
})

test('tables of another owner: the start says what their owner has to do', async (t) => {
  const { url: shop } = await freshDatabase(t)
  await runOn(shop, 'vacuum full soft_bounce, idempotency_key')
  const role = `guest_${process.pid}`
  await runOn(
    shop,
    `create role ${role}; grant all on schema public to ${role}; grant all on all tables in schema public to ${role}`,
  )
  try {
    const logged: string[] = []
    await migrate(`${shop}&options=-c%20role%3D${role}`, { progress: (text) => logged.push(text) })
    assert.deepEqual(logged, [
      'Run ANALYZE as the owner of these tables, since plans would be slow: idempotency_key, soft_bounce',
    ])
  } finally {
    await runOn(shop, `drop owned by ${role}; drop role ${role}`)
  }
})

/** Tables and partitions that look all but empty to the planner, or have no statistics. */
async function unknownTables(of: string): Promise<string[]> {
  const names = Object.entries(plannerSamples).map(([name, { rows }]) => `('${name}', ${rows})`)
  const { rows } = await runOn(
    of,
    `select c.relname as name from (values ${names.join()}) as s (name, sampled) join pg_class p on p.oid = to_regclass(name)
     join lateral (
       select p.oid, case p.relkind when 'p' then ${partitionSampleRows} else sampled end as rows
       union all select inhrelid, ${partitionSampleRows} from pg_inherits where inhparent = p.oid) t on true
     join pg_class c on c.oid = t.oid
     where not exists (select from pg_stats where tablename = c.relname)
       or greatest(c.reltuples, 0) < t.rows / 2 or c.relkind = 'r' and pg_relation_size(c.oid) = 0 order by 1`,
  )
  return rows.map(({ name }) => String(name))
}

async function rowCounts(of: string): Promise<Record<string, number>> {
  const { rows } = await runOn(
    of,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  const counts = rows.map(
    ({ name }) => `(select count(*)::int from ${String(name)}) as "${String(name)}"`,
  )
  return (await runOn(of, `select ${counts.join()}`)).rows[0] ?? {}
}

test('a command leaves lost statistics to the next start', async () => {
  const tuples = async (): Promise<number> =>
    Number(
      (await runOn(url, "select reltuples from pg_class where oid = 'message'::regclass"))
        .rows[0]?.['reltuples'],
    )
  await runOn(url, 'vacuum full message')
  const lost = await tuples()
  await migrate(url, { completesStatistics: false })
  assert.equal(await tuples(), lost)
  await migrate(url)
  assert.ok((await tuples()) > lost)
})
