/**
 * Hints between processes: each gets those of the others and not its own, also with equal process
 * numbers, as in containers.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { sql } from '../../src/database/client/sql.ts'
import { openWakeUps } from '../../src/database/cells/hints.ts'
import { freshDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const { url, connection: db } = await freshDatabase()

test("two processes with the same number get each other's hints, and none gets its own again", async () => {
  const heard = { one: [] as string[], other: [] as string[] }
  /** What each hears of the other without workers of its own. */
  const heardOnly = { one: [] as string[], other: [] as string[] }
  const both = Promise.withResolvers<void>()
  const open = (who: 'one' | 'other') => {
    const hints = openWakeUps<string>({
      connectionString: url,
      clock: systemClock,
      forOthers: 'single',
      onCells: () => undefined,
      onWakeUp: (hint) => void heardOnly[who].push(hint),
    })
    hints.local = (hint, cell) => {
      heard[who].push(`${hint} of cell ${cell}`)
      if (heard.one.length === 3 && heard.other.length === 2) both.resolve()
    }
    return hints
  }
  const [first, second] = [open('one'), open('other')]
  after(() => Promise.all([first.close(), second.close()]))
  await untilTwoListen()
  first.wakeIn(1)('transactional')
  second.wakeIn(2)('feedback')
  second.wakeIn(1)('single')
  const [work, feedback, single] = [
    'transactional of cell 1',
    'feedback of cell 2',
    'single of cell 1',
  ]
  assert.deepEqual(heard, { one: [work], other: [feedback] }, 'what is for workers, at once')
  await both.promise
  assert.deepEqual(heard, { one: [work, feedback, single], other: [feedback, work] })
  assert.deepEqual(heardOnly, { one: ['feedback', 'single'], other: ['transactional'] })
})

test('hints of a moment beyond the bytes of one notification: none is lost', async () => {
  const heard: string[] = []
  const all = Array.from({ length: 1_500 }, (_, n) => `captured:${n}`)
  const ended = Promise.withResolvers<void>()
  const open = (onWakeUp: (hint: string) => void) =>
    openWakeUps<string>({
      ...{ connectionString: url, clock: systemClock, forOthers: 'single', onWakeUp },
      onCells: () => undefined,
    })
  const [from, to] = [
    open(() => undefined),
    open((hint) => {
      heard.push(hint)
      if (heard.length === all.length) ended.resolve()
    }),
  ]
  after(() => Promise.all([from.close(), to.close()]))
  await untilTwoListen()
  for (const hint of all) from.wakeIn(1)(hint)
  await ended.promise
  assert.deepEqual(heard, all)
})

async function untilTwoListen(): Promise<void> {
  const listening = () =>
    db.count(sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'facteur hints' and query like 'listen%' and state = 'idle'`)
  await until(listening, (count) => count === 2)
}
