/**
 * Migrations beside running processes: their calls pass, and the version before knows the database
 * for one version more.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { schemaState } from '../../../src/database/schema/schema-state.ts'
import { emptyDatabase, freshDatabase, runOn, untilWaits } from '../../support/database.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

/** A version's migrations; `floor` is the newest one of its previous release. */
function version(files: Record<string, string>, floor?: string): { folder: string } {
  const folder = makeTemporaryFolder('migrations')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  if (floor !== undefined)
    writeFileSync(
      join(folder, 'previous-release.json'),
      JSON.stringify({ commit: '', migration: floor }),
    )
  return { folder }
}

/** A transaction that another program leaves open, until its connection ends. */
async function begin(url: string, statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'pg_dump' })
  // A test that fails drops the database under it.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(statement)
  return client
}

const first = { '0001_one.sql': 'create table one (n int)' }

for (const [how, text] of [
  ['in a transaction', 'alter table one add column further int'],
  [
    'outside one',
    '-- outside a transaction\nalter table one add column if not exists further int;',
  ],
] as const) {
  test(`a migration ${how} waits for a long transaction: calls behind it pass meanwhile, and it says whom it waits for`, async (t) => {
    const url = await emptyDatabase(t)
    await migrate(url, version(first))
    const dump = await begin(url, 'begin; select from one')
    const logged: string[] = []
    const migrating = migrate(url, {
      ...version({ ...first, '0002_two.sql': text }),
      progress: (line) => void logged.push(line),
    })
    await untilWaits(url, 'alter table one')
    await runOn(url, 'insert into one values (1)')
    await until(() =>
      logged.some((line) =>
        /^Waiting for process \d+ of the database \(pg_dump\), in a transaction since/.test(line),
      ),
    )
    await until(() =>
      logged.some((line) =>
        /^0002_two\.sql found a table in use \(try 1\); .* tries again in 1 s$/.test(line),
      ),
    )
    await dump.end()
    assert.deepEqual(await migrating, ['0002_two.sql'])
    assert.deepEqual((await runOn(url, 'select n, further from one')).rows, [
      { n: 1, further: null },
    ])
  })
}

test('a migration of two tables, and a call that locks them in the other order: the call is never the victim of a deadlock', async (t) => {
  const url = await emptyDatabase(t)
  const both = { '0001_one.sql': 'create table one (n int); create table two (n int)' }
  await migrate(url, version(both))
  // Long enough that a call which waits for the first table checks for a deadlock while the
  // migration waits for the second.
  const text = `alter table one add column further int; select pg_sleep(0.9); alter table two add column further int`
  const call = await begin(url, 'begin; insert into two values (1)')
  const migrating = migrate(url, version({ ...both, '0002_two.sql': text }))
  await until(async () => {
    const { rowCount } = await runOn(
      url,
      `select from pg_locks where granted and mode = 'AccessExclusiveLock' and database is not null and relation = 'one'::regclass`,
    )
    return rowCount === 1
  })
  await call.query('insert into one values (1); commit')
  await call.end()
  assert.deepEqual(await migrating, ['0002_two.sql'])
  assert.deepEqual((await runOn(url, 'select one.*, two.n as other from one, two')).rows, [
    { n: 1, further: null, other: 1 },
  ])
})

test('an index made while others write waits for an old transaction, and no writer waits for it', async (t) => {
  const url = await emptyDatabase(t)
  await migrate(url, version(first))
  const old = await begin(url, 'begin isolation level repeatable read; select from one')
  const text = '-- outside a transaction\ncreate index concurrently if not exists one_n on one (n);'
  const migrating = migrate(url, version({ ...first, '0002_two.sql': text }))
  await untilWaits(url, 'create index concurrently')
  await runOn(url, 'insert into one values (1)')
  await old.end()
  assert.deepEqual(await migrating, ['0002_two.sql'])
})

test('the version before starts on the database of this one; the version before that is refused', async (t) => {
  const url = await emptyDatabase(t)
  const [former, second, third] = [
    version(first),
    version({ ...first, '0002_two.sql': 'create table two (n int)' }, '0001_one.sql'),
    version(
      {
        ...first,
        '0002_two.sql': 'create table two (n int)',
        '0003_three.sql': 'create table three (n int)',
      },
      '0002_two.sql',
    ),
  ]
  assert.deepEqual(await migrate(url, former), ['0001_one.sql'])
  assert.deepEqual(await migrate(url, second), ['0002_two.sql'])
  assert.deepEqual(await migrate(url, former), [], 'it goes back')
  assert.deepEqual(await migrate(url, second), [], 'and forth')
  assert.deepEqual(await migrate(url, third), ['0003_three.sql'])
  await assert.rejects(migrate(url, former), /newer version of Facteur \(it has 0002_two.sql\)/)
  assert.deepEqual(await migrate(url, second), [])
})

test('a process is ready on the database of the next version', async (t) => {
  const { url, connection } = await freshDatabase(t)
  await runOn(url, "insert into compatible_migration values ('9998_next.sql', '', facteur_now())")
  const { missing, unknown } = await schemaState(connection)
  assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] })
})
