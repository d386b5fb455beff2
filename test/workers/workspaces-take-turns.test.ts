/** Workspaces take turns: what one has waiting delays no other (semantics 2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import type { TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { handedOver, startRelayWorld } from '../support/relay-world.ts'

const world = await startRelayWorld()
const later = new Date(Date.now() + 3_600_000).toISOString()

/** Waiting messages that are due before all others. */
async function pileUp(workspace: TestWorkspace, calls: number): Promise<void> {
  const to = Array.from({ length: 50 }, (_, index) => `heavy${index}@example.com`)
  const body = Array.from({ length: 100 }, () => ({
    from: `hello@${workspace.domain}`,
    to,
    subject: 'x',
    text: 'x',
    scheduled_at: later,
  }))
  for (let call = 0; call < calls; call++) {
    assertAnswered(
      await ask(world.baseUrl, 'POST /api/v1/emails/batch', { key: workspace.key, body }),
      202,
    )
  }
  await world.run(
    `update recipient set next_at = facteur_now() - interval '1 hour' where workspace_id = ${workspace.id}`,
  )
  await world.run(
    `update due set next_at = facteur_now() - interval '1 hour' where workspace_id = ${workspace.id} and lane = 'transactional'`,
  )
}

test('5,000 of one workspace wait: a single mail of another leaves with the next turns', async () => {
  const heavy = await world.workspace('heavy')
  const light = await world.workspace('light')
  await pileUp(heavy, 1)
  const id = await handedOver(world, light, { to: 'light@example.com', scheduled_at: later })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  await world.run(`update due set next_at = facteur_now() where workspace_id = ${light.id}`)
  const workers = startWorkers(world.service)
  try {
    await world.peer.until(() =>
      world.peer.mails.some((mail) => mail.to.includes('light@example.com')),
    )
    const before = world.peer.mails.length
    assert.ok(before < 500, `${before} mails of 5,000 left before`)
  } finally {
    await workers.stop(5_000)
  }
})
