/**
 * Hints between processes: each gets those of the others and not its own, also with equal process
 * numbers, as in containers.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { sql } from '../../src/db/connection/sql.ts'
import { openHints } from '../../src/db/sending/hints.ts'
import { freshDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const { url, connection: db } = await freshDatabase()

test("two processes with the same number get each other's hints, and none gets its own", async () => {
  const heard = { one: [] as string[], other: [] as string[] }
  const both = Promise.withResolvers<void>()
  const hear = (who: 'one' | 'other') => (lane: string, cell: number) => {
    heard[who].push(`${lane} of cell ${cell}`)
    if (heard.one.length > 0 && heard.other.length > 0) both.resolve()
  }
  const one = openHints({
    connectionString: url,
    clock: systemClock,
    onHint: hear('one'),
    onCells: () => undefined,
  })
  const other = openHints({
    connectionString: url,
    clock: systemClock,
    onHint: hear('other'),
    onCells: () => undefined,
  })
  after(() => Promise.all([one.close(), other.close()]))
  await untilTwoListen()
  one.tell('transactional', 1)
  other.tell('feedback', 2)
  await both.promise
  assert.deepEqual(heard, { one: ['feedback of cell 2'], other: ['transactional of cell 1'] })
})

async function untilTwoListen(): Promise<void> {
  const listening = () =>
    db.count(sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'facteur hints' and query like 'listen%' and state = 'idle'`)
  await until(listening, (count) => count === 2)
}
