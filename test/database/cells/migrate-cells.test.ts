/** A later migration goes through every cell, also when it is cut off between two of them. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { addCell } from '../../../src/database/cells/add-cell.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { migrationNames, migrationsFolder } from '../../../src/database/schema/migration-files.ts'
import { planMigrations } from '../../../src/database/schema/plan-migrations.ts'
import { schemaState } from '../../../src/database/schema/schema-state.ts'
import { freshDatabase, runOn, testCell, type TestDatabase } from '../../support/database.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { previousRelease } from '../../upgrades/previous-program.ts'
import { cellCatalog, differences } from './cell-catalog.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const quiet = { completesStatistics: false }

/** The files of this version and one more. */
function withFile(name: string, text: string): string {
  const folder = makeTemporaryFolder('migrations')
  cpSync(migrationsFolder, folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return folder
}

async function twoCells(t: TestContext): Promise<TestDatabase> {
  const database = await freshDatabase(t)
  await addCell({ connectionString: database.url, progress: () => undefined }, { node: null })
  // In which a file says where it ran.
  await runOn(database.url, 'create schema for_test; create table for_test.ran (schema text)')
  return database
}

async function equalCells(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return differences(await cellCatalog(client, 'public'), await cellCatalog(client, 'cell_2'))
  } finally {
    await client.end()
  }
}

const ranIn = async (url: string): Promise<string[]> =>
  (await runOn(url, 'select schema from for_test.ran order by ctid')).rows.map(({ schema }) =>
    String(schema),
  )

const lock = 7_712
const noted = `select name from compatible_migration where name like '99%' order by 1`

/** A file by its first line; in the second cell it waits for the lock of the test. */
const files = {
  'in one transaction': `insert into for_test.ran select current_schema();
    alter table soft_bounce add column made_up int not null default 1;
    do $$ begin if current_schema() <> 'public' then perform pg_advisory_xact_lock(${lock}); end if; end $$;`,
  'outside a transaction': `-- outside a transaction
insert into for_test.ran select current_schema();
create index concurrently if not exists soft_bounce_made_up on soft_bounce (workspace_id, count, email);
do $$ begin if current_schema() <> 'public' then perform pg_advisory_xact_lock(${lock}); end if; end $$;`,
}

for (const [how, text] of Object.entries(files)) {
  test(`a migration ${how} runs in both cells, and once`, { skip }, async (t) => {
    const { url } = await twoCells(t)
    const folder = withFile('9901_made_up.sql', text)
    const logged: string[] = []
    assert.deepEqual(
      await migrate(url, { folder, ...quiet, progress: (line) => logged.push(line) }),
      ['9901_made_up.sql'],
    )
    assert.deepEqual(await ranIn(url), ['public', 'cell_2'])
    assert.deepEqual(logged, [
      '9901_made_up.sql in cell 1 (1 of 2)',
      '9901_made_up.sql in cell 2 (2 of 2)',
    ])
    assert.deepEqual(await equalCells(url), [])
    assert.deepEqual((await runOn(url, noted)).rows, [{ name: '9901_made_up.sql' }])
    assert.deepEqual(await migrate(url, { folder, ...quiet }), [])
    assert.equal((await ranIn(url)).length, 2)
    const third = await addCell(
      { connectionString: url, progress: () => undefined },
      { node: null },
    )
    assert.deepEqual(third, { id: 3, schema: 'cell_3' })
  })

  test(
    `a migration ${how} that is cut off between the cells goes on in the second`,
    { skip },
    async (t) => {
      const { url } = await twoCells(t)
      const folder = withFile('9901_made_up.sql', text)
      const holder = new pg.Client({ connectionString: url })
      await holder.connect()
      await holder.query(`select pg_advisory_lock(${lock})`)
      const cut = assert.rejects(migrate(url, { folder, ...quiet }))
      await until(
        () =>
          runOn(
            url,
            "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
          ),
        ({ rowCount }) => rowCount === 1,
      )
      await runOn(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      )
      await cut
      await holder.end()
      assert.deepEqual((await runOn(url, noted)).rows, [], 'while a cell lacks it, it is missing')
      assert.deepEqual((await runOn(url, 'select id, ahead from cell order by id')).rows, [
        { id: 1, ahead: '9901_made_up.sql' },
        { id: 2, ahead: null },
      ])
      const logged: string[] = []
      await migrate(url, { folder, ...quiet, progress: (line) => logged.push(line) })
      assert.deepEqual(logged, ['9901_made_up.sql in cell 2 (2 of 2)'])
      assert.equal((await ranIn(url)).filter((schema) => schema === 'public').length, 1)
      assert.deepEqual(await equalCells(url), [])
      assert.deepEqual((await runOn(url, noted)).rows, [{ name: '9901_made_up.sql' }])
    },
  )
}

test('a migration of global tables only runs once', { skip }, async (t) => {
  const { url } = await twoCells(t)
  const folder = withFile(
    '9901_made_up.sql',
    '-- global tables only\nalter table workspace add column made_up int;\ninsert into for_test.ran select current_schema();',
  )
  writeFileSync(
    join(folder, '9902_made_up.sql'),
    '-- outside a transaction, global tables only\ncreate index concurrently if not exists workspace_made_up on workspace (made_up);\ninsert into for_test.ran select current_schema();',
  )
  assert.deepEqual(await migrate(url, { folder, ...quiet }), [
    '9901_made_up.sql',
    '9902_made_up.sql',
  ])
  assert.deepEqual(await ranIn(url), ['public', 'public'])
})

test('the plan of a migration counts the rows and bytes of all cells', { skip }, async (t) => {
  const { url, connection: db } = await twoCells(t)
  const folder = withFile(
    '9901_made_up.sql',
    'alter table soft_bounce add column made_up int; alter table message add column made_up int; alter table workspace add column made_up int',
  )
  const rows = (cell: string, count: number): string => `
    insert into ${cell}.soft_bounce (workspace_id, email, count, first_at)
    select 1, n::text, 1, facteur_now() from generate_series(1, ${count}) n; analyze ${cell}.soft_bounce`
  await runOn(url, rows('public', 6_000))
  await runOn(url, rows('cell_2', 7_000))
  const locks = (await planMigrations(db, folder)).migrations[0]?.locks ?? []
  const of = (table: string) =>
    locks.find((plannedLock) => plannedLock.table === table) ?? assert.fail(`no ${table}`)
  assert.equal(of('soft_bounce').rows, 13_000)
  const { rows: sizes } = await runOn(
    url,
    "select (pg_table_size('public.soft_bounce') + pg_table_size('cell_2.soft_bounce'))::float8 as bytes",
  )
  assert.equal(of('soft_bounce').bytes, sizes[0]?.['bytes'])
  assert.ok(of('message').rows > 0)
  assert.equal(of('workspace').rows, 0)
})

test(
  'a process of the previous release refuses a database with a second cell, and one without it never',
  { skip },
  async (t) => {
    const { url, connection: db } = await freshDatabase(t)
    const former = makeTemporaryFolder('migrations')
    for (const name of migrationNames(migrationsFolder))
      if (name <= previousRelease.migration)
        cpSync(join(migrationsFolder, name), join(former, name))
    assert.deepEqual((await schemaState(db, former)).unknown, [])
    await addCell({ connectionString: url, progress: () => undefined }, { node: null })
    // What its start and its /readyz ask (docs/decisions/0051).
    const unknown = ['0070_cells.sql']
    assert.deepEqual((await schemaState(db, former)).unknown, unknown)
    await assert.rejects(
      migrate(url, { folder: former, ...quiet }),
      /^OperatorError: The database is of a newer version of Facteur \(it has 0070_cells\.sql\): start that version\. Nothing was changed\.$/,
    )
    // A migration of this version does not take that back.
    assert.deepEqual(await migrate(url, quiet), [])
    assert.deepEqual((await schemaState(db, former)).unknown, unknown)
    const { missing, unknown: unknownHere } = await schemaState(db)
    assert.deepEqual([missing, unknownHere], [[], []])
  },
)
