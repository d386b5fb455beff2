/**
 * A call is answered when the relay has taken its mail: what is recorded of it follows, and a
 * database that is slow to record slows the calls.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  accepted,
  ledgerRow,
  startRelayWorld,
  untilNothingLeased,
} from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

/** Longer than `until` waits: no call is answered for want of an outcome. */
const world = await startRelayWorld({ settings: { inlineSeconds: 600, leaseSeconds: 900 } })
const { db } = world.service
const shop = await world.workspace('shop', { monthlyQuota: 10_000, ratePerMinute: 10_000 })

/**
 * Nothing of the workspace can be recorded until `work` ends: the row that counts today's hand-offs
 * is locked.
 */
const whileNothingIsRecorded = (work: () => Promise<void>): Promise<void> =>
  db.transaction(async (tx) => {
    // However long the calls take.
    await tx.count(sql`set local idle_in_transaction_session_timeout = 0`)
    assert.ok(
      await tx.changes(sql`select from reputation_day where workspace_id = ${shop.id} for update`),
    )
    await work()
  })

test('202 while the outcome waits to be recorded, then sent', async () => {
  await accepted(world, shop)
  await untilNothingLeased(world.service)
  let id = ''
  await whileNothingIsRecorded(async () => {
    void accepted(world, shop).then((answered) => (id = answered))
    await until(() => id !== '')
    const { status, state } = await ledgerRow(world, shop, id)
    assert.deepEqual([status, state], ['queued', 'leased'])
  })
  await untilNothingLeased(world.service)
  assert.equal((await ledgerRow(world, shop, id)).status, 'sent')
})
