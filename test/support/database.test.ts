/**
 * The ground of all other tests: clones are apart, and their clocks move for open connections too.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { freshDatabase, moveClock } from './database.ts'

const hoursAhead = async (connection: Connection): Promise<number> => {
  const [row] = await connection.rows<{ hours: number }>(
    sql`select round(extract(epoch from facteur_now() - clock_timestamp()) / 3600)::int as hours`,
  )
  return row?.hours ?? Number.NaN
}

test('a moved clock: every open connection sees it at its next statement, another database does not', async (t) => {
  const moved = await freshDatabase(t)
  const other = await freshDatabase(t)
  assert.equal(await hoursAhead(moved.connection), 0)
  await moved.connection.transaction(async (tx) => {
    await tx.rows(sql`select facteur_now()`)
    await moveClock(moved.url, '3 hours')
    assert.equal(await hoursAhead(moved.connection), 3)
  })
  await moveClock(moved.url, '1 day')
  assert.equal(await hoursAhead(moved.connection), 24)
  assert.equal(await hoursAhead(other.connection), 0)
})

test('a prepared statement that has run many times still sees the clock move', async (t) => {
  const { url, connection } = await freshDatabase(t)
  for (let round = 0; round < 20; round++) assert.equal(await hoursAhead(connection), 0)
  await moveClock(url, '2 hours')
  assert.equal(await hoursAhead(connection), 2)
})
