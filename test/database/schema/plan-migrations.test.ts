/** The plan of missing migrations on a database that has rows. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '../../../src/database/client/connect.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { planMigrations } from '../../../src/database/schema/plan-migrations.ts'
import { emptyDatabase, runOn } from '../../support/database.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

test('tables, locks, sizes, times and who waits; in one transaction a lock is held to its end', async (t) => {
  const url = await emptyDatabase(t)
  const folder = makeTemporaryFolder('migrations')
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write(
    '0001_one.sql',
    'create table large (n int, text text); create table small (n int); create index small_n on small (n);',
  )
  await migrate(url, { folder })
  await runOn(
    url,
    "insert into large select n, repeat('x', 500) from generate_series(1, 20000) n; insert into small values (1); analyze large, small",
  )
  write(
    '0002_two.sql',
    'alter table small add column m int; alter table large add constraint c check (n > 0); create table three (n int);',
  )
  write(
    '0003_three.sql',
    '-- outside a transaction\ncreate index concurrently if not exists large_n on large (n);\ndrop index small_n;',
  )
  write('0004_four.sql', 'create table four (n int);\nalter table four add column m int;')

  const db = connect({ connectionString: url, poolSize: 1 })
  const { bytesPerSecond, migrations } = await planMigrations(db, folder)
  await db.end()
  assert.ok(bytesPerSecond !== null && bytesPerSecond > 0)
  const [two, three, four] = migrations
  const short = migrations.map(({ name, isOneTransaction, locks }) => ({
    name,
    isOneTransaction,
    locks: locks.map(({ table, mode, waits, rows }) => `${table} ${mode} ${waits} ${rows}`),
  }))
  assert.deepEqual(short, [
    {
      name: '0002_two.sql',
      isOneTransaction: true,
      locks: [
        'large ACCESS EXCLUSIVE reads and writes 20000',
        'small ACCESS EXCLUSIVE reads and writes 1',
      ],
    },
    {
      name: '0003_three.sql',
      isOneTransaction: false,
      locks: [
        'small ACCESS EXCLUSIVE reads and writes 1',
        'large SHARE UPDATE EXCLUSIVE nobody 20000',
      ],
    },
    { name: '0004_four.sql', isOneTransaction: true, locks: [] },
  ])
  const [large, small] = two?.locks ?? []
  assert.ok(large && small && large.bytes > 10_000_000 && small.bytes < 100_000)
  assert.equal(large.seconds, large.bytes / bytesPerSecond, 'it is read once')
  assert.equal(small.seconds, large.seconds, 'it stays locked while the other is read')
  const [dropped, indexed] = three?.locks ?? []
  assert.deepEqual([dropped?.seconds, dropped?.statement], [0, 'drop index small_n'])
  assert.equal(indexed?.seconds, (large.bytes * 6) / bytesPerSecond)
  assert.deepEqual([two?.seconds, four?.seconds], [large.seconds, 0])
  assert.equal(
    (await runOn(url, 'select from schema_migration')).rowCount,
    1,
    'nothing was applied',
  )
})
