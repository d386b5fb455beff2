/**
 * Looks for due mail begin where earlier ones ended; a row that is put back behind them is found by
 * the next look in full.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { createDeliverDue } from '../../src/entrypoints/workers/deliver-due.ts'
import { createSlots } from '../../src/entrypoints/workers/slots.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'
import { handedOver, startRelayWorld, untilNothingLeased } from '../support/relay-world.ts'

const world = await startRelayWorld()
const { service } = world
const later = new Date(Date.now() + 3_600_000).toISOString()

test('a row put back behind the looks of a worker: no turn finds it before the look in full, and its due row waits', async () => {
  const workspace = await world.workspace('behind')
  const clock = createFrozenClock()
  const deliver = createDeliverDue({ ...service, clock }, createSlots(service))
  const turn = async () => {
    const ended = await deliver(workspace.id, 10, () => undefined)
    await untilNothingLeased(service)
    return ended
  }
  const dueIn = async (): Promise<number | null> =>
    service.db.value<number>(sql`
      select extract(epoch from next_at - facteur_now())::float8 as seconds from due
      where workspace_id = ${workspace.id} and lane = 'transactional'`)
  const state = (id: string): Promise<string> =>
    service.db.onlyValue<string>(sql`
      select state from recipient where workspace_id = ${workspace.id} and message_id = ${id}`)

  const first = await handedOver(world, workspace, { scheduled_at: later })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${first}'`)
  await turn()
  assert.equal(await state(first), 'settled')

  const id = await handedOver(world, workspace, { scheduled_at: later })
  await world.run(
    `update recipient set next_at = facteur_now() - interval '1 hour' where message_id = '${id}'`,
  )
  clock.advance(1_500)
  assert.equal(await turn(), 'later')
  assert.equal(await state(id), 'pending')
  // The due row leads to the look in full, not to the end of the list.
  const seconds = await dueIn()
  assert.ok(seconds !== null && seconds < 5, `due in ${seconds} s`)

  clock.advance(5_000)
  await turn()
  assert.equal(await state(id), 'settled')
})

test('an idle workspace loses its due row after a look in full, and mail that comes later is found', async () => {
  const workspace = await world.workspace('idle')
  const clock = createFrozenClock()
  const deliver = createDeliverDue({ ...service, clock }, createSlots(service))
  const hasDue = (): Promise<boolean> =>
    service.db.onlyValue<boolean>(sql`
      select exists (select from due where workspace_id = ${workspace.id} and lane = 'transactional') as due`)
  const id = await handedOver(world, workspace, { scheduled_at: later })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  assert.deepEqual(await deliver(workspace.id, 10, () => undefined), { idleMs: 1_000 })
  await untilNothingLeased(service)
  clock.advance(1_000)
  assert.equal(await deliver(workspace.id, 10, () => undefined), 'later')
  assert.equal(await hasDue(), true)
  clock.advance(5_000)
  assert.equal(await deliver(workspace.id, 10, () => undefined), 'later')
  assert.equal(await hasDue(), false)
  await handedOver(world, workspace, { scheduled_at: later })
  assert.equal(await hasDue(), true)
})
