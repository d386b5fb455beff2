/**
 * The comparison of catalogs notices what a cell lacks; an addition that was cut off is used by
 * nobody until it is ended.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { addCell } from '../../../src/database/cells/add-cell.ts'
import { cells } from '../../../src/database/cells/cells.ts'
import { partitionSampleRows } from '../../../src/database/planner/partition-sample.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { plannerSamples } from '../../../src/database/schema/planner-samples.ts'
import { createOperator } from '../../cli/facteur.ts'
import { freshDatabase, runOn, testCell } from '../../support/database.ts'
import { programFile } from '../../support/program.ts'
import { environmentWithoutSettings } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { cellCatalog, differences } from './cell-catalog.ts'

const skip = testCell === null ? false : 'it makes its own second cell'

/** What no migration has made yet, but one may. */
const furtherKinds = `
  create statistics public.of_message (ndistinct) on workspace_id, subject from message;
  alter table message alter column subject set statistics 500;
  create view message_of_captured as select m.* from message m join captured_mail c using (workspace_id);
  create view message_of_captured_again with (security_barrier) as select * from message_of_captured;
  alter table soft_bounce add constraint counts check (count < 1000000) not valid`

async function withCell(t: TestContext, before = ''): Promise<{ url: string; client: pg.Client }> {
  const { url } = await freshDatabase(t)
  if (before !== '') await runOn(url, before)
  await addCell({ connectionString: url, progress: () => undefined }, { node: null })
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return { url, client }
}

/** What a cell may lack or have otherwise, by the kind of the line that says so. */
const changes: [kind: string, statement: string][] = [
  ['relation', 'drop table cell_2.soft_bounce'],
  ['relation', 'alter table cell_2.soft_bounce reset (autovacuum_analyze_threshold)'],
  ['relation', 'alter table cell_2.batch_sender set logged'],
  ['relation', 'alter table cell_2.soft_bounce set (toast.autovacuum_enabled = false)'],
  ['relation', 'grant select on cell_2.soft_bounce to public'],
  ['partition', 'drop table cell_2.event_default'],
  ['column', 'alter table cell_2.soft_bounce drop column first_at'],
  ['column', 'alter table cell_2.soft_bounce alter column count type bigint'],
  ['column', 'alter table cell_2.recipient alter column attempts drop default'],
  ['column', 'alter table cell_2.soft_bounce alter column first_at drop not null'],
  [
    'column',
    "alter table cell_2.event alter column place set default nextval('public.event_order')",
  ],
  ['column', 'alter table cell_2.message alter column subject set statistics 10'],
  ['column', 'alter table cell_2.message alter column subject set storage external'],
  ['constraint', 'alter table cell_2.held_work drop constraint held_work_kind_check'],
  ['constraint', 'alter table cell_2.soft_bounce drop constraint soft_bounce_pkey'],
  ['index', 'drop index cell_2.campaign_frozen'],
  [
    'index',
    "update pg_index set indisvalid = false where indexrelid = 'cell_2.campaign_frozen'::regclass",
  ],
  ['view', 'drop view cell_2.campaign_engagement_count cascade'],
  [
    'view',
    'create or replace view cell_2.message_of_captured_again as select * from public.message_of_captured',
  ],
  ['sequence', 'drop sequence cell_2.event_order cascade'],
  ['sequence', 'alter sequence cell_2.event_order increment 2'],
]

test('the comparison notices each kind of difference', { skip }, async (t) => {
  const { client } = await withCell(t, furtherKinds)
  const home = await cellCatalog(client, 'public')
  const result = async (statement: string): Promise<Set<string>> => {
    await client.query(`begin; ${statement}`)
    const lines = differences(home, await cellCatalog(client, 'cell_2'))
    await client.query('rollback')
    return new Set(lines.map((line) => /^[-+] (\w+):/.exec(line)?.[1] ?? ''))
  }
  const call = async (query: string): Promise<string> =>
    String((await client.query<{ it: string }>(query)).rows[0]?.it)
  const trigger = await call(`
    select format('%I on %s', tgname, tgrelid::regclass) as it from pg_trigger join pg_class c on c.oid = tgrelid
    where not tgisinternal and tgparentid = 0 and c.relnamespace = 'cell_2'::regnamespace order by tgname limit 1`)
  const [name, table] = trigger.split(' on ')
  const foreignKey = await call(`
    select format('alter table %s drop constraint %I, add constraint %2$I %s', conrelid::regclass, conname,
      replace(pg_get_constraintdef(oid), 'REFERENCES cell_2.', 'REFERENCES public.')) as it from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'cell_2'::regnamespace and confrelid::regclass::text like 'cell_2.%' limit 1`)
  const all = [
    ...changes,
    ['trigger', `drop trigger ${trigger}`],
    ['trigger', `alter table ${table} disable trigger ${name}`],
    [
      'statistics',
      await call(
        `select 'drop statistics cell_2.' || stxname as it from pg_statistic_ext where stxnamespace = 'cell_2'::regnamespace`,
      ),
    ],
    ...(foreignKey === 'undefined' ? [] : [['constraint', foreignKey]]),
  ] as const
  for (const [kind, statement] of all)
    assert.ok((await result(statement)).has(kind), `${kind}: ${statement}`)
  assert.deepEqual(await result('select'), new Set())
  await client.end()
})

/** Where the command waits for the lock that the test holds, as statements that make the trap. */
const moments: Record<string, string> = {
  'while its tables are made': `create event trigger trap on ddl_command_start when tag in ('CREATE TRIGGER') execute function wait_for_test_in_ddl()`,
  'before it is noted':
    'create trigger trap before insert on cell execute function wait_for_test()',
  // The cell has this trigger too.
  'while the planner counts':
    'create trigger trap before insert on soft_bounce execute function wait_for_test()',
  'before it is ready':
    'create trigger trap before update on cell execute function wait_for_test()',
}

const trapLock = 7_711
const traps = `
  create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(${trapLock}); return null; end $$;
  create function wait_for_test_in_ddl() returns event_trigger language plpgsql as $$ begin
    if current_schema() <> 'public' then perform pg_advisory_xact_lock(${trapLock}); end if; end $$`

for (const [moment, trap] of Object.entries(moments))
  test(
    `killed ${moment}: nobody uses the cell, and the same command ends it`,
    { skip },
    async (t) => {
      const { url, connection: db } = await freshDatabase(t)
      const operator = createOperator({
        DATABASE_URL: url,
        FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      })
      // By itself a server notices a client that is gone when it writes to it.
      await runOn(
        url,
        `do $$ begin execute format('alter database %I set client_connection_check_interval = 50', current_database()); end $$`,
      )
      await runOn(url, `${traps}; ${trap}`)
      const holder = new pg.Client({ connectionString: url })
      await holder.connect()
      await holder.query(`select pg_advisory_lock(${trapLock})`)
      const child = spawn(process.execPath, [programFile, 'cell', 'add'], {
        stdio: 'ignore',
        env: {
          ...environmentWithoutSettings(),
          DATABASE_URL: url,
          FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
        },
      })
      const ended = once(child, 'exit')
      const sessions =
        "select from pg_stat_activity where application_name = 'facteur migrate' and datname = current_database()"
      await until(
        () => runOn(url, `${sessions} and wait_event = 'advisory'`),
        ({ rowCount }) => rowCount === 1,
      )
      child.kill('SIGKILL')
      assert.deepEqual(await ended, [null, 'SIGKILL'])
      await until(
        () => runOn(url, sessions),
        ({ rowCount }) => rowCount === 0,
      )
      await holder.end()
      assert.deepEqual(await cells(db), [{ id: 1, schema: 'public' }])
      const isMade = (await runOn(url, 'select is_ready from cell where id = 2')).rows
      assert.deepEqual(
        isMade,
        moment.includes('planner') || moment.includes('ready') ? [{ is_ready: false }] : [],
      )
      await operator.refused(['workspace', 'create', 'Shop', '--cell', '2'], {
        code: 'refused',
        exit: 1,
        message: /^There is no cell 2 that is ready: facteur cell list shows them\.$/m,
      })
      await runOn(url, 'drop event trigger if exists trap')
      await runOn(url, 'drop function wait_for_test() cascade')
      await runOn(url, 'drop function wait_for_test_in_ddl() cascade')
      const output = await operator.run(['cell', 'add'])
      assert.equal(output.code, 0, output.stderr)
      assert.match(output.stdout.toString(), /^Cell 2 is ready \(schema cell_2\)\.$/m)
      assert.equal(
        /Going on with cell 2, which an earlier run began/.test(output.stderr),
        isMade.length === 1,
      )
      assert.deepEqual((await runOn(url, 'select id, is_ready from cell order by id')).rows, [
        { id: 1, is_ready: true },
        { id: 2, is_ready: true },
      ])
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      assert.deepEqual(
        differences(await cellCatalog(client, 'public'), await cellCatalog(client, 'cell_2')),
        [],
      )
      await client.end()
    },
  )

/**
 * Tables and partitions of cell 2 that look all but empty to the planner, or have no statistics.
 */
const uncounted = `
  select c.relname as name from (values ${Object.entries(plannerSamples)
    .map(([name, { rows }]) => `('${name}', ${rows})`)
    .join()}) as s (name, sampled)
  join pg_class p on p.relname = s.name and p.relnamespace = 'cell_2'::regnamespace
  join lateral (
    select p.oid, case p.relkind when 'p' then ${partitionSampleRows} else sampled end as rows
    union all select inhrelid, ${partitionSampleRows} from pg_inherits where inhparent = p.oid) t on true
  join pg_class c on c.oid = t.oid
  where c.reltuples < t.rows / 2 or not exists (select from pg_stats where schemaname = 'cell_2' and tablename = c.relname) order by 1`

test(
  'a new cell has the statistics of the planner and no row; a start completes what is lost of them',
  { skip },
  async (t) => {
    const { url, client } = await withCell(t)
    assert.deepEqual((await client.query(uncounted)).rows, [])
    const { rows: tables } = await client.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'cell_2'::regnamespace",
    )
    assert.ok(tables.length > 100)
    const paused = tables.map(
      ({ name }) => `select '${name}' as name where exists (select from ${name})`,
    )
    const withheld = (await client.query<{ name: string }>(paused.join(' union all '))).rows
    assert.deepEqual(withheld, [])
    await client.query('vacuum full cell_2.message, cell_2.suppression')
    assert.deepEqual((await client.query(uncounted)).rows, [
      { name: 'message' },
      { name: 'suppression' },
    ])
    await migrate(url)
    assert.deepEqual((await client.query(uncounted)).rows, [])
    await client.end()
  },
)
