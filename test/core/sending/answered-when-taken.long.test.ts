/** A call waits when a database that is slow to record has many outcomes waiting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  accepted,
  post,
  read,
  startRelayWorld,
  untilNothingLeased,
} from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

/** Longer than `until` waits: no call is answered for want of an outcome. */
const world = await startRelayWorld({ settings: { inlineSeconds: 600, leaseSeconds: 900 } })
const { db } = world.service
const shop = await world.workspace('shop', { monthlyQuota: 10_000, ratePerMinute: 10_000 })

/** As `unrecordedMax` of `src/core/sending/hand-off.ts`. */
const unrecordedMax = 512

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

test('a call waits for its own outcome when many others wait to be recorded', async () => {
  let last: Promise<unknown> = Promise.resolve()
  let isAnswered = false
  // The first outcome makes the row.
  await accepted(world, shop)
  await untilNothingLeased(world.service)
  await whileNothingIsRecorded(async () => {
    let id = ''
    for (let sent = 0; sent < unrecordedMax; sent++) id = await accepted(world, shop)
    const taken = world.peer.mails.length
    last = post(world, shop).finally(() => (isAnswered = true))
    await until(() => world.peer.mails.length > taken)
    // A whole call later, it would have been answered.
    await read(world, shop, id)
    assert.equal(isAnswered, false)
  })
  await last
  await untilNothingLeased(world.service)
})
