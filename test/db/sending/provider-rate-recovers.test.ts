/**
 * The provider's rate over time: lowered, grown back, and given back (semantics 2); and when the
 * counters of requests are deleted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import {
  returnPermits,
  lowerRate,
  storePace,
  takePermits,
  throttledProviders,
} from '../../../src/db/sending/provider-rates.ts'
import { countRequests, makeCounters } from '../../../src/db/workspaces/request-rates.ts'
import { deleteExpiredOf } from '../../../src/db/retention/lifetimes.ts'
import { freshDatabase, moveClock, stopClock } from '../../support/database.ts'

const { url, connection: db } = await freshDatabase()

let offsetSeconds = 0
async function pass(seconds: number): Promise<void> {
  offsetSeconds += seconds
  await moveClock(url, `${offsetSeconds} seconds`)
}

const throttledAt = async (provider: string): Promise<Date | null | undefined> =>
  (
    await db.rows<{ at: Date | null }>(
      sql`select throttled_at as at from provider_rate where provider = ${provider}`,
    )
  )[0]?.at

const process = '01990000-0000-7000-8000-000000000001'
const other = '01990000-0000-7000-8000-000000000002'
/** A refusal that asks for a slower pace, at a process that measured so many mails a second. */
const slower = (provider: string, perSecond: number | null, configured: number | null = null) =>
  lowerRate(db, { provider, process, perSecond }, configured)

for (const days of [1, 2, 365]) {
  test(`${days} days after a throttle mail leaves as if it had never been`, async () => {
    await slower(`limited ${days}`, 10, 10)
    await slower(`unlimited ${days}`, 300)
    await pass(days * 86_400)
    assert.equal(await takePermits(db, `limited ${days}`, 10, 1_000), 10)
    assert.equal(await takePermits(db, `unlimited ${days}`, null, 100_000), 100_000)
  })
}

test('the pace is half of the measured one for half a minute, grows evenly, and is the former one after a minute of quiet', async () => {
  assert.deepEqual(await slower('growing', 300), {
    isFirst: true,
    formerPerSecond: 300,
    perSecond: 150,
  })
  assert.equal(await takePermits(db, 'growing', null, 100_000), 150)
  await pass(29)
  assert.equal(await takePermits(db, 'growing', null, 100_000), 150)
  await pass(16)
  const halfWay = await takePermits(db, 'growing', null, 100_000)
  assert.ok(halfWay >= 225 && halfWay < 250, String(halfWay))
  await pass(16)
  assert.equal(await takePermits(db, 'growing', null, 100_000), 100_000)
  assert.equal(await throttledAt('growing'), null)
  assert.deepEqual(await throttledProviders(db, 'growing'), [])
})

test('the paces of all processes are halved together, and never more than the configured rate', async () => {
  await storePace(db, { provider: 'shared', process: other, perSecond: 200 })
  await storePace(db, { provider: 'shared', process, perSecond: 7 })
  assert.equal((await slower('shared', 100)).perSecond, 150)
  await storePace(db, { provider: 'configured', process: other, perSecond: 200 })
  assert.equal((await slower('configured', 100, 40)).perSecond, 20)
  await storePace(db, { provider: 'gone', process: other, perSecond: 200 })
  await pass(11)
  assert.equal((await slower('gone', 100)).perSecond, 50)
})

test('an episode is one halving: more refusals of it change nothing, and the next one halves what is measured then', async () => {
  await slower('episode', 320)
  for (let seconds = 0; seconds < 25; seconds += 5) {
    await pass(5)
    assert.deepEqual(await slower('episode', 100), {
      isFirst: false,
      formerPerSecond: 320,
      perSecond: 160,
    })
  }
  await pass(61)
  assert.deepEqual(await slower('episode', 200), {
    isFirst: true,
    formerPerSecond: 200,
    perSecond: 100,
  })
})

test('a refusal while the pace grows has it fall back, once; refusals after half a minute at that pace halve it again', async () => {
  await slower('again', 320)
  await pass(45)
  assert.deepEqual(await slower('again', 200), {
    isFirst: false,
    formerPerSecond: 320,
    perSecond: 160,
  })
  for (let seconds = 0; seconds < 24; seconds += 8) {
    await pass(8)
    assert.equal((await slower('again', 150)).perSecond, 160)
  }
  await pass(8)
  assert.equal((await slower('again', 150)).perSecond, 80)
  await pass(61)
  assert.equal(await takePermits(db, 'again', null, 100_000), 100_000)
})

test('a pace that was never measured holds nothing back; the next refusal of the episode halves what is measured by then', async () => {
  assert.equal((await slower('new', null)).formerPerSecond, null)
  assert.equal(await takePermits(db, 'new', null, 100_000), 100_000)
  assert.partialDeepStrictEqual(await throttledProviders(db, 'new'), [
    { provider: 'new', perSecond: null, formerPerSecond: null },
  ])
  assert.deepEqual(await slower('new', 90), { isFirst: false, formerPerSecond: 90, perSecond: 45 })
  assert.equal(await takePermits(db, 'new', null, 100_000), 45)
})

test('the pace is never lowered below one mail a second', async () => {
  assert.deepEqual(await slower('slow', 1.5), { isFirst: true, formerPerSecond: 1.5, perSecond: 1 })
})

test('a pace of 0 is no measurement: it holds nothing back, however often the provider refuses', async () => {
  await storePace(db, { provider: 'nothing', process: other, perSecond: 0 })
  for (let refusals = 0; refusals < 3; refusals++) {
    assert.equal((await slower('nothing', 0)).formerPerSecond, null)
    assert.equal(await takePermits(db, 'nothing', null, 100_000), 100_000)
    await pass(2)
  }
  assert.deepEqual(await slower('nothing', 90), {
    isFirst: false,
    formerPerSecond: 90,
    perSecond: 45,
  })
})

test('a rate that the operator took away limits nothing any more', async () => {
  assert.equal(await takePermits(db, 'taken away', 5, 100), 5)
  assert.equal(await takePermits(db, 'taken away', null, 100), 100)
})

test('returned permits go to the next caller; no more are given than a second allows', async () => {
  assert.equal(await takePermits(db, 'returned', 10, 10), 10)
  await returnPermits(db, 'returned', 10, 9)
  assert.equal(await takePermits(db, 'returned', 10, 9), 9)
  await returnPermits(db, 'returned', 10, 10_000)
  assert.equal(await takePermits(db, 'returned', 10, 100), 10)
})

const addresses = Array.from({ length: 5 }, (_, index) => `192.0.2.${index}`)
const count = async (address: string): Promise<number | null | undefined> =>
  (await countRequests(db, 0, [{ digest: null, address, scope: null, requests: 1 }], 2))[0]?.granted

test('a new counter is not deleted, and counts from zero', async () => {
  await makeCounters(db, 0, addresses)
  assert.equal(await deleteExpiredOf(db, 'request_rate', { workspaceId: 0, max: 100 }), 0)
  assert.deepEqual(
    [await count('192.0.2.0'), await count('192.0.2.0'), await count('192.0.2.0')],
    [1, 1, 0],
  )
})

test('counters without a request for an hour are deleted, a bounded number at once', async () => {
  await pass(3_590)
  assert.equal(await count('192.0.2.0'), 1)
  await pass(20)
  assert.equal(await deleteExpiredOf(db, 'request_rate', { workspaceId: 0, max: 3 }), 3)
  assert.equal(await deleteExpiredOf(db, 'request_rate', { workspaceId: 0, max: 3 }), 1)
  assert.equal(await count('192.0.2.1'), null)
  assert.equal(await count('192.0.2.0'), 1)
})

test('processes that ask at once share one second of permits', async () => {
  const apart = connect({ connectionString: url })
  await stopClock(url, '2026-11-22T12:00:00Z')
  const request = Array.from({ length: 40 }, (_, index) =>
    takePermits(index % 2 ? apart : db, 'asked at once', 20, 3),
  )
  const granted = (await Promise.all(request)).reduce((sum, places) => sum + places, 0)
  assert.equal(granted, 20, 'the clock stands')
  await moveClock(url, '0 seconds')
  await apart.end()
})
