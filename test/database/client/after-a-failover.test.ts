/**
 * What was written before a failover holds after it, for a process that has seen none of it:
 * leases, fences, keys, quotas and rates.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { renewLeases } from '../../../src/db/sending/claims.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../../support/ask.ts'
import { runOn, stopClock } from '../../support/database.ts'
import {
  accepted,
  claim,
  ledgerRow,
  post,
  startBeside,
  startRelayWorld,
  turn,
} from '../../support/relay-world.ts'
import { startReplicated } from '../../support/replicated-postgres.ts'
import { until } from '../../support/until.ts'

let endPostgres = (): Promise<void> => Promise.resolve()
const postgres = await startReplicated(
  { after: (end) => (endPostgres = end) },
  { synchronous: true },
)
const connection = connect({ connectionString: postgres.url, poolSize: 3 })
const world = await startRelayWorld({ database: { url: postgres.url, connection } })
after(async () => {
  await connection.end()
  await endPostgres()
})

const at = (instant: string): Promise<void> => stopClock(postgres.primary().url, instant)

test('after a failover a lease, its fence, an idempotency key, a quota and a request rate hold', async () => {
  await at('2026-11-21T12:00:00Z')
  const slow = await world.workspace('slow', { ratePerMinute: 1 })
  const account = (baseUrl: string) => ask(baseUrl, 'GET /api/v1/me', { key: slow.key })
  assertAnswered(await account(world.baseUrl), 200)
  assertRefused(await account(world.baseUrl), 'rate_limit_exceeded')
  const shop = await world.workspace('shop', { monthlyQuota: 2 })
  const withKey = { 'idempotency-key': 'one' }
  const id = await accepted(world, shop, {}, withKey)
  const later = await accepted(world, shop, { scheduled_at: '2026-11-21T13:00:00Z' })
  assertRefused(await post(world, shop), 'quota_exceeded')
  await runOn(
    postgres.primary().url,
    `update recipient set next_at = facteur_now() where message_id = '${later}'`,
  )
  const [row] = await claim(world, shop)
  assert.equal(row?.messageId, later)
  const leased = { workspaceId: shop.id, messageId: later, position: 0, fence: row.fence }

  await postgres.primary().kill()
  await postgres.promote()
  // Callers repeat a 503; here nothing is called before the new primary is found.
  await until(() => connection.value(sql`select 1`).catch(() => null))
  const other = await startBeside(world)

  const replayed = await post(other, shop, {}, withKey)
  assert.deepEqual([replayed.status, textAt(replayed, 'id')], [202, id])
  assert.equal(replayed.headers.get('idempotent-replay'), 'true')
  assertRefused(await post(other, shop), 'quota_exceeded')
  assertRefused(await account(other.baseUrl), 'rate_limit_exceeded')
  assert.deepEqual(await claim(other, shop), [])
  assert.equal((await renewLeases(world.service.db, shop.id, [leased], 90)).length, 1)

  // The lease has ended by the clock of the new primary: another worker takes the row up, and its
  // former holder is too late.
  await at('2026-11-21T12:30:00Z')
  await turn(other, shop)
  assert.ok((await ledgerRow(other, shop, later)).fence > row.fence)
  assert.deepEqual(await renewLeases(world.service.db, shop.id, [leased], 90), [])
})
