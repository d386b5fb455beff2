/**
 * A call that hands its mail over itself wakes no worker: its rows are leased to it. What it leaves
 * to the workers wakes them once they may claim it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WakeUp } from '../../../src/db/sending/due.ts'
import {
  accepted,
  ledger,
  ledgerRow,
  startRelayWorld,
  untilNothingLeased,
} from '../../support/relay-world.ts'

const world = await startRelayWorld({ ratePerSecond: 1, settings: { inlineSeconds: 600 } })
const shop = await world.workspace('shop')
const heard: WakeUp[] = []
Object.assign(world.service, { wake: (hint: WakeUp) => void heard.push(hint) })

/** What is said while the call and its hand-offs last. */
async function hintsOf(body: object): Promise<{ id: string; hints: WakeUp[] }> {
  heard.length = 0
  const id = await accepted(world, shop, body)
  await untilNothingLeased(world.service)
  return { id, hints: [...heard] }
}

test('all is handed over in the call: nobody looks for work', async () => {
  const { id, hints } = await hintsOf({})
  assert.deepEqual(hints, ['single'])
  assert.equal((await ledgerRow(world, shop, id)).status, 'sent')
})

test('a later mail is the work of workers', async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  assert.deepEqual((await hintsOf({ scheduled_at: scheduledAt })).hints, ['transactional'])
})

test('beyond the rate: the workers are woken when the row is free again', async () => {
  const { id, hints } = await hintsOf({ to: ['one@example.com', 'two@example.com'] })
  assert.equal(hints[0], 'single')
  const [, left] = await ledger(world, shop, id)
  assert.equal(left?.state, 'pending')
  assert.ok(left.nextIn <= 0, `in ${left.nextIn} s`)
  assert.deepEqual(new Set(hints.slice(1)), new Set(['transactional']))
})
