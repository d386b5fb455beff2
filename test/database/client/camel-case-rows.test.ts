/** Columns in `snake_case` are properties in `camelCase`, for all who ask by the pool. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { plain } from '../../../src/database/partitions/change-partitions.ts'
import { freshDatabase, runOn } from '../../support/database.ts'

const rowBy = (db: Database) =>
  db.onlyRow<object>(sql`
    select 1 as created_at, 2 as is_2_fast, 3 as sha256, 4 as a1_b, 5 as day_1, 6 as _first_row,
      json_build_object('has_more', true) as json_as_built, 'two_words' as value_stays, 7 as "asIs"`)

test('alone, in a pipeline and in a transaction: a letter after an underscore is a capital, and nothing else changes', async () => {
  const { connection } = await freshDatabase()
  const row = {
    ...{ createdAt: 1, is_2Fast: 2, sha256: 3, a1B: 4, day_1: 5, _firstRow: 6, asIs: 7 },
    ...{ jsonAsBuilt: { has_more: true }, valueStays: 'two_words' },
  }
  assert.deepEqual(await rowBy(connection), row)
  assert.deepEqual(await rowBy(connection), row, 'once more, as the client knows it')
  assert.deepEqual(await rowBy(connection.pipeline()), row)
  assert.deepEqual(await connection.transaction(rowBy), row)
})

test('after a migration each connection has the columns of its own answer', async (t) => {
  const { url, connection } = await freshDatabase(t)
  await runOn(url, 'create table stood (first_of_all int); insert into stood values (1)')
  const all = sql`select * from stood`
  assert.deepEqual(await connection.rows(all), [{ firstOfAll: 1 }])
  await runOn(url, 'alter table stood rename first_of_all to last_of_all')
  const other = connect({ connectionString: url, poolSize: 1 })
  t.after(() => other.end())
  assert.deepEqual(await other.rows(all), [{ lastOfAll: 1 }])
  assert.deepEqual(await connection.rows(all), [{ lastOfAll: 1 }])
})

test('statements without a name have each their own columns', async (t) => {
  const { connection } = await freshDatabase(t)
  assert.deepEqual(await connection.rows(plain('select 1 as one_row')), [{ oneRow: 1 }])
  assert.deepEqual(await connection.rows(plain('select 2 as next_row')), [{ nextRow: 2 }])
})

test('a client of its own reads the columns as they are named', async (t) => {
  const { url } = await freshDatabase(t)
  assert.deepEqual((await runOn(url, 'select 1 as one_row')).rows, [{ one_row: 1 }])
})
