/**
 * A scheduled mail one of whose recipients was suppressed since: the others may still be cancelled
 * or rescheduled (semantics 1).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, assertAnswered, assertRefused } from '../../support/ask.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { handedOver, ledger, read, startRelayWorld, turn } from '../../support/relay-world.ts'

const world = await startRelayWorld()

const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const to = ['gone@example.com', 'here@example.com', 'there@example.com']
const cancel = ({ key }: TestWorkspace, id: string) =>
  ask(world.baseUrl, `POST /api/v1/emails/${id}/cancel`, { key })
const move = ({ key }: TestWorkspace, id: string, hours: number) =>
  ask(world.baseUrl, `PATCH /api/v1/emails/${id}`, { key, body: { scheduled_at: at(hours) } })
const account = ({ key }: TestWorkspace) => ask(world.baseUrl, 'GET /api/v1/me', { key })

test('200: cancelled; what waited is given back, the suppressed recipient stays what it is', async () => {
  const workspace = await world.workspace('cancel', { monthlyQuota: 10 })
  const id = await handedOver(world, workspace, { to, scheduled_at: at(1) })
  await workspace.suppress('gone@example.com', 'manual')
  assertAnswered(await cancel(workspace, id), 200)
  assert.deepEqual(
    (await ledger(world, workspace, id)).map((row) => row.error),
    ['suppressed: manual', 'cancelled', 'cancelled'],
  )
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'failed',
    last_event: 'canceled',
  })
  assertAnswered(await account(workspace), 200, { quota: { used: 1, remaining: 9 } })
  assertRefused(await cancel(workspace, id), 'conflict')
})

test('200: moved; the suppressed recipient stays settled', async () => {
  const workspace = await world.workspace('move')
  const id = await handedOver(world, workspace, { to, scheduled_at: at(1) })
  await workspace.suppress('gone@example.com', 'manual')
  assertAnswered(await move(workspace, id, 3), 200)
  const rows = await ledger(world, workspace, id)
  assert.deepEqual(
    rows.map((row) => [row.state, Math.round(row.nextIn / 3600)]),
    [
      ['settled', 1],
      ['pending', 3],
      ['pending', 3],
    ],
  )
})

test('409 conflict: every recipient was suppressed, or one has begun to leave', async () => {
  const workspace = await world.workspace('nothing left')
  const closed = await handedOver(world, workspace, { to: 'gone@example.com', scheduled_at: at(1) })
  await workspace.suppress('gone@example.com', 'manual')
  assertRefused(await cancel(workspace, closed), 'conflict')
  assertRefused(await move(workspace, closed, 3), 'conflict')
  const started = await handedOver(world, workspace, {
    to: ['here@example.com', 'there@example.com'],
    scheduled_at: at(1),
  })
  await world.run(
    `update recipient set next_at = facteur_now() where message_id = '${started}' and position = 0`,
  )
  await turn(world, workspace)
  assertRefused(await cancel(workspace, started), 'conflict')
})
