/** The provider's rate over time: lowered, grown back, and given back (semantics 2); and when requests' counters are forgotten. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/connect.ts'
import { givePlacesBack, lowerRate, takePlaces } from '../../src/db/provider-rates.ts'
import { countRequests, forgetCounters, makeCounters } from '../../src/db/request-rates.ts'
import { freshDatabase, moveClock } from '../support/database.ts'

const { url, connection: db } = await freshDatabase()

let offsetSeconds = 0
async function pass(seconds: number): Promise<void> {
  offsetSeconds += seconds
  await moveClock(url, `${offsetSeconds} seconds`)
}

const throttledAt = async (provider: string): Promise<Date | null | undefined> =>
  (await db.rows<{ at: Date | null }>(sql`select throttled_at as at from provider_rate where provider = ${provider}`))[0]?.at

for (const days of [1, 2, 365]) {
  test(`${days} days after a throttle mail leaves as if it had never been`, async () => {
    await lowerRate(db, `limited ${days}`, 10)
    await lowerRate(db, `unlimited ${days}`, null)
    await pass(days * 86_400)
    assert.equal(await takePlaces(db, `limited ${days}`, 10, 1_000), 10)
    assert.equal(await takePlaces(db, `unlimited ${days}`, null, 100_000), 100_000)
  })
}

test('a throttled rate grows by a quarter each half minute, and the throttle is forgotten when the configured one is regained', async () => {
  await lowerRate(db, 'growing', 20)
  assert.equal(await takePlaces(db, 'growing', 20, 100), 10)
  await pass(31)
  assert.equal(await takePlaces(db, 'growing', 20, 100), 13)
  assert.ok(await throttledAt('growing'))
  await pass(90)
  assert.equal(await takePlaces(db, 'growing', 20, 100), 20)
  assert.equal(await throttledAt('growing'), null)
})

test('without a configured rate the throttle is forgotten after it has grown a thousandfold', async () => {
  await lowerRate(db, 'free', null)
  assert.equal(await takePlaces(db, 'free', null, 100), 25)
  await pass(15 * 60)
  assert.ok((await takePlaces(db, 'free', null, 100_000)) < 100_000)
  await pass(60)
  assert.equal(await takePlaces(db, 'free', null, 100_000), 100_000)
  assert.equal(await throttledAt('free'), null)
})

test('a later throttle halves the rate in force, not the one of the throttle before', async () => {
  await lowerRate(db, 'again', 16)
  await pass(40)
  await lowerRate(db, 'again', 16)
  assert.equal(await takePlaces(db, 'again', 16, 100), 5)
})

test('a rate that the operator took away limits nothing any more', async () => {
  assert.equal(await takePlaces(db, 'taken away', 5, 100), 5)
  assert.equal(await takePlaces(db, 'taken away', null, 100), 100)
})

test('places given back are there for the next who asks; more is never given than a second is worth', async () => {
  assert.equal(await takePlaces(db, 'returned', 10, 10), 10)
  await givePlacesBack(db, 'returned', 10, 9)
  assert.equal(await takePlaces(db, 'returned', 10, 9), 9)
  await givePlacesBack(db, 'returned', 10, 10_000)
  assert.equal(await takePlaces(db, 'returned', 10, 100), 10)
})

const addresses = Array.from({ length: 5 }, (_, index) => `192.0.2.${index}`)
const count = async (address: string): Promise<number | null | undefined> =>
  (await countRequests(db, 0, [{ digest: null, address, scope: null, requests: 1 }], 2))[0]?.granted

test('a counter that was just made is not forgotten, and counts from nothing', async () => {
  await makeCounters(db, 0, addresses)
  assert.equal(await forgetCounters(db, 0, 100), 0)
  assert.deepEqual([await count('192.0.2.0'), await count('192.0.2.0'), await count('192.0.2.0')], [1, 1, 0])
})

test('counters that nobody asked for in an hour are forgotten, so many at once', async () => {
  await pass(3_590)
  assert.equal(await count('192.0.2.0'), 1)
  await pass(20)
  assert.equal(await forgetCounters(db, 0, 3), 3)
  assert.equal(await forgetCounters(db, 0, 3), 1)
  assert.equal(await count('192.0.2.1'), null)
  assert.equal(await count('192.0.2.0'), 1)
})
