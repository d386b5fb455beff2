/**
 * A provider that gives no feedback: after a bounce-free time, set by the operator, sent becomes
 * delivered (semantics 3).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { startApi } from '../../support/api.ts'
import { at } from '../../support/json.ts'
import { handedOver, newsTurn, read, startRelayWorld } from '../../support/relay-world.ts'
import { newsFrom } from '../../support/feedback.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld({ settings: { deliveredAfterSeconds: 900 } })
const never = await startRelayWorld({ settings: { deliveredAfterSeconds: 0 } })

const status = async (...of: Parameters<typeof read>): Promise<unknown> =>
  at(await read(...of), 'status')

test('delivered after the time, not before; the record names silence as its source', async () => {
  const workspace = await world.workspace('silence')
  const stopAt = await world.stopTime()
  const id = await handedOver(world, workspace, { to: ['a@example.com', 'b@example.com'] })
  await stopAt(899)
  await newsTurn(world, workspace)
  assert.equal(await status(world, workspace, id), 'sent')
  await stopAt(901)
  await newsTurn(world, workspace)
  const email = await read(world, workspace, id)
  assert.partialDeepStrictEqual(email, {
    status: 'delivered',
    recipients: [{ delivered_by: 'silence' }, { delivered_by: 'silence' }],
  })
  assert.ok(at(email, 'delivered_at'))
  await world.moveClock('0 seconds')
})

test('0: never', async () => {
  const workspace = await never.workspace('never')
  const id = await handedOver(never, workspace)
  await never.moveClock('400 days')
  await newsTurn(never, workspace)
  assert.equal(await status(never, workspace, id), 'sent')
})

test('a bounce in time stays a bounce; one that comes later overrules the assumed delivery', async () => {
  const workspace = await world.workspace('bounces')
  const [early, late] = [
    await handedOver(world, workspace, { to: 'early@example.com' }),
    await handedOver(world, workspace, { to: 'late@example.com' }),
  ]
  const bounce = (messageId: string) =>
    recordFeedback(world.service, {
      workspaceId: workspace.id,
      feedback: [newsFrom({ messageId, position: 0 }, 'bounced')],
    })
  await bounce(early)
  await world.moveClock('901 seconds')
  await newsTurn(world, workspace)
  assert.equal(await status(world, workspace, early), 'bounced')
  assert.equal(await status(world, workspace, late), 'delivered')
  await bounce(late)
  assert.equal(await status(world, workspace, late), 'bounced')
  await world.moveClock('0 seconds')
})

test('the worker that is due assumes delivery, without being asked', async () => {
  const busy = await startRelayWorld({ workers: true, settings: { deliveredAfterSeconds: 1 } })
  const workspace = await busy.workspace('by itself')
  const id = await handedOver(busy, workspace)
  await until(
    () => status(busy, workspace, id),
    (observed) => observed === 'delivered',
  )
})

test('no delivery is assumed where the provider gives feedback', async () => {
  const capture = await startApi({ workers: false, settings: { deliveredAfterSeconds: 1 } })
  const workspace = await capture.workspace('capture')
  const id = await handedOver(capture, workspace)
  await capture.run(
    `update recipient set status = 'sent', state = 'settled', sent_at = facteur_now() - interval '1 day'`,
  )
  await newsTurn(capture, workspace)
  assert.equal(await status(capture, workspace, id), 'sent')
})
