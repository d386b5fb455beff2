/**
 * Statements that are prepared before a migration changes their tables: the calls after it pass.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { emptyDatabase, runOn } from '../../support/database.ts'

const changes = [
  ['a column more', 'alter table one add column m int', { n: 1, m: null }],
  ['a column of another type', 'alter table one alter column n type text', { n: '1' }],
  [
    'a partitioned table in its place',
    `begin; alter table one rename to one_1; create table one (n int, m int) partition by range (n);
     alter table one_1 add column m int; alter table one attach partition one_1 default; commit`,
    { n: 1, m: null },
  ],
] as const

for (const [what, change, expected] of changes)
  test(`${what}: prepared statements pass on every connection, alone, pipelined and in a transaction`, async (t) => {
    const url = await emptyDatabase(t)
    await runOn(url, 'create table one (n int); insert into one values (1)')
    const db = connect({ connectionString: url, poolSize: 3 })
    const read = (on: Database): Promise<object[]> => on.rows<object>(sql`select * from one`)
    const other = (on: Database): Promise<object[]> =>
      on.rows<object>(sql`select * from one where true`)
    const atOnce = (work: () => Promise<object[]>): Promise<object[][]> =>
      Promise.all(Array.from({ length: 6 }, work))
    const inTransaction = (): Promise<object[]> =>
      db.transaction(async (tx) => {
        await other(tx)
        return read(tx)
      })
    await atOnce(() => read(db))
    await atOnce(inTransaction)
    const pipeline = db.pipeline()
    await atOnce(() => read(pipeline))

    await runOn(url, change)
    const all = [
      await atOnce(inTransaction),
      await atOnce(() => read(db)),
      await atOnce(() => read(pipeline)),
    ]
    await runOn(url, 'alter table one add column k int')
    const again = [
      await atOnce(() => read(pipeline)),
      await atOnce(() => read(db)),
      await atOnce(inTransaction),
    ]
    await db.end()
    for (const rows of all.flat(2)) assert.deepEqual(rows, expected)
    for (const rows of again.flat(2)) assert.deepEqual(rows, { ...expected, k: null })
  })

test('another refusal of the same SQLSTATE is not repeated', async (t) => {
  const url = await emptyDatabase(t)
  const db = connect({ connectionString: url, poolSize: 1 })
  let times = 0
  await assert.rejects(
    db.transaction(async (tx) => {
      times++
      await tx.rows(sql`select count(*) from pg_class for update`)
    }),
  )
  await db.end()
  assert.equal(times, 1)
})
