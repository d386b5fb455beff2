/**
 * A process stores its knowledge of mail hosts in the database, where the other and later processes
 * find it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeThrottle, takeDestinationPermits } from '../../../src/db/sending/destinations.ts'
import { storeStsPolicy, stsPoliciesSince } from '../../../src/db/sending/sts-policies.ts'
import { freshDatabase } from '../../support/database.ts'

const { connection: countingDb } = await freshDatabase()

test('all processes share the rate of a throttled destination', async () => {
  await storeThrottle(countingDb, { name: 'mx.shared.test', perSecond: 10, connections: 2 })
  const request = { name: 'mx.shared.test', perSecond: 10, wanted: 8, aheadSeconds: 1 }
  const granted = await Promise.all(
    Array.from({ length: 5 }, () => takeDestinationPermits(countingDb, request)),
  )
  const sum = granted.reduce((total, places) => total + places, 0)
  assert.ok(sum >= 10 && sum <= 12, String(granted))
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
