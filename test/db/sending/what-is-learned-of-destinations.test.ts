/**
 * A process stores its knowledge of mail hosts in the database, where the other and later processes
 * find it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  storeCircuit,
  storeThrottle,
  takeDestinationPermits,
  troubledDestinations,
} from '../../../src/db/sending/destinations.ts'
import { storeStsPolicy, stsPoliciesSince } from '../../../src/db/sending/sts-policies.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { freshDatabase } from '../../support/database.ts'

const { connection: countingDb } = await freshDatabase()

test('all processes share the rate of a throttled destination', async () => {
  await storeThrottle(countingDb, { name: 'mx.shared.test', perSecond: 10, connections: 2 })
  const request = { name: 'mx.shared.test', perSecond: 10, count: 8, aheadSeconds: 1 }
  const seconds = () =>
    countingDb.onlyValue<number>(sql`select extract(epoch from clock_timestamp())::float8`)
  const before = await seconds()
  const granted = await Promise.all(
    Array.from({ length: 5 }, () => takeDestinationPermits(countingDb, request)),
  )
  const sum = granted.reduce((total, places) => total + places, 0)
  const taken = 10 * ((await seconds()) - before)
  assert.ok(sum >= 10 && sum <= 12 + taken, String(granted))
})

test('a destination that cannot be reached is away for the longest time that a process said, and one that answers is not', async () => {
  const name = 'mx.away.test'
  const away = async () =>
    (await troubledDestinations(countingDb, { slowedMs: 60_000, max: 10 })).find(
      (destination) => destination.name === name,
    )?.away ?? null
  const failed = { name, failures: 1, openMs: 60_000, response: '421 4.3.2 no' }
  await storeCircuit(countingDb, failed)
  const first = (await away())?.until ?? assert.fail()
  await storeCircuit(countingDb, { ...failed, failures: 2, openMs: 1_000 })
  assert.deepEqual(await away(), { until: first, response: '421 4.3.2 no' })
  await storeCircuit(countingDb, { name, failures: 0, openMs: 0, response: null })
  assert.equal(await away(), null)
  await storeCircuit(countingDb, { name: 'mx.well.test', failures: 0, openMs: 0, response: null })
  assert.equal(
    await countingDb.onlyValue(
      sql`select count(*)::int from destination where name = 'mx.well.test'`,
    ),
    0,
    'a recovery writes only where a row is',
  )
})

test('policies of MTA-STS outlive the process, and end when they said', async () => {
  await storeStsPolicy(countingDb, {
    domain: 'kept.test',
    id: 'a',
    mode: 'enforce',
    mx: ['mx.kept.test'],
    maxAgeSeconds: 1_000_000,
  })
  await storeStsPolicy(countingDb, {
    domain: 'short.test',
    id: 'a',
    mode: 'enforce',
    mx: ['mx.short.test'],
    maxAgeSeconds: -1,
  })
  await storeStsPolicy(countingDb, {
    domain: 'kept.test',
    id: 'b',
    mode: 'testing',
    mx: ['mx2.kept.test'],
    maxAgeSeconds: 1_000_000,
  })
  const rows = await stsPoliciesSince(countingDb, null)
  assert.deepEqual(
    rows.map(({ domain, id, mode, mx: hosts }) => ({ domain, id, mode, hosts })),
    [{ domain: 'kept.test', id: 'b', mode: 'testing', hosts: ['mx2.kept.test'] }],
  )
  assert.ok((rows[0]?.lastsMs ?? 0) > 900_000_000)
})
