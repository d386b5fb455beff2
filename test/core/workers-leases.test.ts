/** Leases are renewed while their rows are held: one workspace's trouble costs no other its lease, and a failure is not the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { createLeases } from '../../src/core/sending/leases.ts'
import type { TestWorkspace } from '../support/api.ts'
import { accepted, claim, ledgerRow, startRelayWorld } from './relay-world.ts'

const world = await startRelayWorld()
const { service } = world

let warned = Promise.withResolvers<void>()

/** Leases of their own, as another process would keep them. */
const leasesOf = (leaseSeconds: number) =>
  createLeases({
    ...service,
    settings: { ...service.settings, leaseSeconds },
    log: { ...service.log, warn: () => warned.resolve() },
  })

async function claimed(
  workspace: TestWorkspace,
): Promise<{ workspaceId: number; messageId: string; position: number; fence: number }> {
  const messageId = await accepted(world, workspace, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  const [row] = await claim(world, workspace)
  assert.equal(row?.messageId, messageId)
  // As if it had been claimed long ago.
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  return { workspaceId: workspace.id, messageId, position: 0, fence: row.fence }
}

async function untilRenewed(workspace: TestWorkspace, messageId: string): Promise<void> {
  while ((await ledgerRow(world, workspace, messageId)).nextIn < 0.5) await systemClock.sleep(10)
}

test('a workspace whose renewal fails does not keep the others from theirs', async () => {
  const [broken, sound] = [await world.workspace('broken'), await world.workspace('sound')]
  const row = await claimed(sound)
  const leases = leasesOf(3)
  const askedAtMs = systemClock.monotonicMs()
  leases.hold({ workspaceId: broken.id, messageId: 'not an id', position: 0, fence: 1, askedAtMs })
  leases.hold({ ...row, askedAtMs })
  await untilRenewed(sound, row.messageId)
  leases.stop()
})

test('a renewal that failed is tried again before the next round, while the lease lasts', async () => {
  const workspace = await world.workspace('again')
  const row = await claimed(workspace)
  warned = Promise.withResolvers()
  await world.run('alter table recipient rename to away')
  const leases = leasesOf(6)
  const heldAtMs = systemClock.monotonicMs()
  const lease = leases.hold({ ...row, askedAtMs: heldAtMs })
  await warned.promise
  await world.run('alter table away rename to recipient')
  await untilRenewed(workspace, row.messageId)
  const passedMs = systemClock.monotonicMs() - heldAtMs
  assert.ok(passedMs < 3_500, `renewed after ${Math.round(passedMs)} ms, where a round is each 2,000`)
  assert.ok(lease.mayProceed())
  leases.stop()
})
