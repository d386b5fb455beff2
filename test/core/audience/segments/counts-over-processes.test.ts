/**
 * Two counts of a workspace run at a time over all processes: each process here has turns of its own,
 * and shares nothing with another one but the database.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOfProcess, type CountWork } from '../../../../src/core/audience/segments/in-turn.ts'
import type { Connection } from '../../../../src/database/client/connect.ts'
import type { Database } from '../../../../src/database/client/database.ts'
import { sql } from '../../../../src/database/client/sql.ts'
import { startApi } from '../../../support/api.ts'
import { until } from '../../../support/until.ts'

const segmentConnections = 3
const api = await startApi({ workers: false, segmentConnections })
const { segmentDb } = api.service
const { id: workspaceId } = await api.workspace('acme')
const { id: otherId } = await api.workspace('other')

const seconds = 5
/** Answers when it ran, and counts how often it began to try. */
function openProcess({ triesMax }: { triesMax?: number } = {}) {
  const { readInTurn } = turnsOfProcess(triesMax)
  const process = { tries: 0 }
  const counting: Connection = Object.assign(Object.create(segmentDb) as Connection, {
    transaction: <T>(work: (tx: Database) => Promise<T>) => {
      process.tries++
      return segmentDb.transaction(work)
    },
  })
  return Object.assign(process, {
    count: <T>(
      read: CountWork<T>['read'],
      {
        of = workspaceId,
        left,
        ...work
      }: Partial<CountWork<T>> & {
        of?: number
        left?: () => AbortSignal
      } = {},
    ) => readInTurn({ segmentDb: counting, workspaceId: of, left }, { seconds, ...work, read }),
  })
}

/** Counts of one process that have all slots of a kind until it is released. */
async function takeSlots(work: Partial<CountWork<void>> = {}, number = 2) {
  const released = Promise.withResolvers<void>()
  let running = 0
  const process = openProcess()
  const counts = Array.from({ length: number }, () =>
    process.count(() => {
      running++
      return released.promise
    }, work),
  )
  await until(() => running === number)
  return async (): Promise<void> => {
    released.resolve()
    await Promise.all(counts)
  }
}

const refused = {
  code: 'rate_limit_exceeded',
  details: { reason: 'segment_counts', limit: 12, retry_after: 5 },
}
const answer = (tx: Database): Promise<number> => tx.onlyValue<number>(sql`select 1::int as n`)

test('counts of three processes: two run at a time, and each is answered', async () => {
  let [running, most] = [0, 0]
  const processes = [openProcess(), openProcess(), openProcess()]
  const counts = processes.flatMap(({ count }) =>
    Array.from({ length: 4 }, () =>
      count(async (tx) => {
        most = Math.max(most, ++running)
        for (let reads = 0; reads < 5; reads++) await answer(tx)
        running--
        return 'counted'
      }),
    ),
  )
  assert.deepEqual(await Promise.all(counts), Array(12).fill('counted'))
  assert.equal(most, 2)
})

test('a count that finds no slot holds no connection, and runs as soon as one is free', async () => {
  const release = await takeSlots()
  const process = openProcess()
  let running = 0
  const counts = [1, 2].map(() =>
    process.count((tx) => {
      running++
      return answer(tx)
    }),
  )
  await until(() => process.tries >= 6)
  // One connection is free for it, and the two that wait have none.
  assert.equal(await openProcess().count(answer, { of: otherId }), 1)
  assert.equal(running, 0)
  await release()
  assert.deepEqual(await Promise.all(counts), [1, 1])
})

test('a count of a caller who leaves ends, and so does one that found no slot for long', async () => {
  const release = await takeSlots()
  const process = openProcess()
  const leaving = new AbortController()
  const counted = process.count(answer, { left: () => leaving.signal })
  await until(() => process.tries >= 2)
  leaving.abort()
  await assert.rejects(counted, refused)
  const short = openProcess({ triesMax: 3 })
  await assert.rejects(short.count(answer), refused)
  assert.equal(short.tries, 3)
  await release()
  assert.equal(await short.count(answer), 1)
})

test('one that may take long has a slot of its own: it holds up no other, and no other long one runs', async () => {
  const long = { seconds: 120 }
  const release = await takeSlots(long, 1)
  const process = openProcess()
  const another = process.count(answer, long)
  await until(() => process.tries >= 3)
  assert.equal(await openProcess().count(answer), 1)
  assert.equal(await openProcess().count(answer, { ...long, of: otherId }), 1)
  await release()
  assert.equal(await another, 1)
})
