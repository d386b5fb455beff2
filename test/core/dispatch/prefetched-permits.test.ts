/**
 * Permits that a busy key prefetches: fewer statements, the same limit over all processes, and
 * unused ones lapse.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRequestCounter } from '../../../src/core/dispatch/count-request.ts'
import { readCredentials } from '../../../src/core/read-key.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { createDatabase, type Database } from '../../../src/database/client/database.ts'
import { sql, type Statement } from '../../../src/database/client/sql.ts'
import { createFrozenClock } from '../../support/frozen-clock.ts'
import { startApi } from '../../support/api.ts'
import { until } from '../../support/until.ts'

const api = await startApi({ workers: false })
const db = connect({ connectionString: api.database.url, durable: false })
after(() => db.end())

/** The database, and how many statements it was asked. */
function watched(): Database & { statementCount: number } {
  const counted = createDatabase((statement) => {
    watch.statementCount++
    return db.ask(statement)
  })
  const watch = {
    statementCount: 0,
    ...counted,
    count: (statement: Statement) => db.count(statement),
  }
  return watch
}

async function callerOf(name: string, ratePerMinute: number) {
  const { id, key, revokeKey } = await api.workspace(name, { ratePerMinute })
  const credentials = readCredentials({ authorization: `Bearer ${key}` })
  assert.ok(credentials.kind === 'key')
  return {
    id,
    caller: { digest: credentials.digest, scope: 'emails:send' as const },
    revoke: () => revokeKey(key),
  }
}

async function passedInLedger(workspaceId: number): Promise<number> {
  const [row] = await db.rows<{ passed: number }>(sql`
    select coalesce(sum(n), 0)::int as passed from request_rate, unnest(passed) n where workspace_id = ${workspaceId}`)
  return row?.passed ?? 0
}

test('a key at the usual limit is counted one by one: exactly 600 of 700 pass over two processes', async () => {
  const { id, caller } = await callerOf('usual', 600)
  const [first, second] = [
    createRequestCounter(watched(), api.service),
    createRequestCounter(watched(), api.service),
  ]
  const counted = await Promise.all(
    Array.from({ length: 700 }, (_, index) => (index % 2 === 0 ? first : second)(id, caller)),
  )
  assert.equal(counted.filter((request) => request.rate.passes).length, 600)
})

test('a key at the usual limit prefetches nothing: each of its requests asks the database', async () => {
  const { id, caller } = await callerOf('steady', 600)
  const database = watched()
  const count = createRequestCounter(database, api.service)
  await count(id, caller)
  database.statementCount = 0
  for (let index = 0; index < 6; index++) await count(id, caller)
  assert.equal(database.statementCount, 6)
})

test('a busy key asks the database less often than it is used', async () => {
  const { id, caller } = await callerOf('busy', 600_000)
  const database = watched()
  const count = createRequestCounter(database, api.service)
  for (let index = 0; index < 200; index++) assert.ok((await count(id, caller)).rate.passes)
  assert.ok(database.statementCount <= 60, `${database.statementCount} statements for 200 requests`)
})

test('unused prefetched permits are given back', async () => {
  const { id, caller } = await callerOf('idle', 600_000)
  const count = createRequestCounter(watched(), api.service)
  for (let index = 0; index < 3; index++) await count(id, caller)
  await until(
    () => passedInLedger(id),
    (passed) => passed === 3,
  )
})

test('no more than the limit passes over two processes that both prefetch permits', async () => {
  const { id, caller } = await callerOf('crowded', 6_000)
  const [first, second] = [
    createRequestCounter(watched(), api.service),
    createRequestCounter(watched(), api.service),
  ]
  let passed = 0
  for (let round = 0; round < 130; round++) {
    const counted = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first : second)(id, caller)),
    )
    passed += counted.filter((request) => request.rate.passes).length
  }
  assert.ok(passed <= 6_000, `${passed} passed`)
  assert.ok(passed >= 5_900, `${passed} passed`)
})

test('a revoked key stops within a tenth of a second', async () => {
  const { id, caller, revoke } = await callerOf('revoked', 600_000)
  const clock = createFrozenClock()
  const count = createRequestCounter(watched(), { ...api.service, clock })
  for (let index = 0; index < 3; index++) await count(id, caller)
  await revoke()
  clock.advance(100)
  assert.equal((await count(id, caller)).caller.revoked, true)
})
