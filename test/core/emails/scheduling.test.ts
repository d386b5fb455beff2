/**
 * Mails that wait for their time: when they leave, what may still change, and what is looked at
 * again then (semantics 1, Scheduled).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueWorkspaces } from '../../../src/db/sending/due.ts'
import { ask, assertAnswered, assertRefused } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { handedOver, ledger, read, startRelayWorld, turn } from '../../support/relay-world.ts'
import type { TestWorkspace } from '../../support/api.ts'

const world = await startRelayWorld()
const stopAt = await world.stopTime()
const stoppedMs = Date.now()

const inSeconds = (seconds: number): string => new Date(stoppedMs + seconds * 1000).toISOString()
const move = ({ key }: TestWorkspace, id: string, seconds: number) =>
  ask(world.baseUrl, `PATCH /api/v1/emails/${id}`, {
    key,
    body: { scheduled_at: inSeconds(seconds) },
  })
const cancel = ({ key }: TestWorkspace, id: string) =>
  ask(world.baseUrl, `POST /api/v1/emails/${id}/cancel`, { key })
const mailsTo = (address: string): number =>
  world.peer.mails.filter((mail) => mail.to.includes(address)).length

/**
 * Runs one turn of a worker so many seconds after the start, if the workspace is due then. Answers
 * whether it was.
 */
async function arrive(workspace: TestWorkspace, seconds: number): Promise<boolean> {
  await stopAt(seconds)
  const due = (await dueWorkspaces(world.service.db, 'transactional', 1_000, [])).includes(
    workspace.id,
  )
  if (due) await turn(world, workspace)
  return due
}

test('leaves at its time and not before', async () => {
  const workspace = await world.workspace('in time')
  const id = await handedOver(world, workspace, {
    to: 'in-time@example.com',
    scheduled_at: inSeconds(600),
  })
  await arrive(workspace, 590)
  assert.equal(mailsTo('in-time@example.com'), 0)
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'queued',
    last_event: 'scheduled',
  })
  assert.ok(await arrive(workspace, 601), 'due')
  assert.equal(mailsTo('in-time@example.com'), 1)
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'sent',
    last_event: 'sent',
  })
  await stopAt(0)
})

test('moved earlier: leaves at the earlier time, though the workspace was due later', async () => {
  const workspace = await world.workspace('earlier')
  const id = await handedOver(world, workspace, {
    to: 'earlier@example.com',
    scheduled_at: inSeconds(7200),
  })
  assert.equal(await arrive(workspace, 0), false)
  assertAnswered(await move(workspace, id, 300), 200)
  assert.equal(await arrive(workspace, 290), false)
  assert.ok(await arrive(workspace, 301))
  assert.equal(mailsTo('earlier@example.com'), 1)
  await stopAt(0)
})

test('moved later: the earlier time passes without it', async () => {
  const workspace = await world.workspace('later')
  const id = await handedOver(world, workspace, {
    to: 'later@example.com',
    scheduled_at: inSeconds(300),
  })
  assertAnswered(await move(workspace, id, 7200), 200)
  await arrive(workspace, 400)
  assert.equal(mailsTo('later@example.com'), 0)
  await arrive(workspace, 7201)
  assert.equal(mailsTo('later@example.com'), 1)
  await stopAt(0)
})

test('cancelled: its time passes without it', async () => {
  const workspace = await world.workspace('cancelled')
  const id = await handedOver(world, workspace, {
    to: 'cancelled@example.com',
    scheduled_at: inSeconds(300),
  })
  assertAnswered(await cancel(workspace, id), 200)
  await arrive(workspace, 400)
  assert.equal(mailsTo('cancelled@example.com'), 0)
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'failed',
    error: 'cancelled',
    last_event: 'canceled',
  })
  await stopAt(0)
})

test('suppressed since, by the workspace or the whole platform: that recipient failed with the reason, the others go', async () => {
  const workspace = await world.workspace('suppressed since')
  const to = ['closed@example.com', 'stays@example.com', 'platform@example.com']
  const id = await handedOver(world, workspace, { to, scheduled_at: inSeconds(300) })
  // As a claim would find it when the list changed in the same moment: the row itself was not
  // settled.
  await world.run(`insert into suppression (workspace_id, email, id, reason, created_at)
    values (${workspace.id}, 'closed@example.com', gen_random_uuid(), 'unsubscribe', facteur_now())`)
  await world.suppressOnPlatform('platform@example.com')
  await arrive(workspace, 301)
  assert.deepEqual(
    (await ledger(world, workspace, id)).map(({ status, error, state }) => [status, error, state]),
    [
      ['failed', 'suppressed: unsubscribe', 'settled'],
      ['sent', null, 'settled'],
      ['failed', 'suppressed: manual', 'settled'],
    ],
  )
  assert.deepEqual(to.map(mailsTo), [0, 1, 0])
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'failed',
    error: 'suppressed: unsubscribe',
  })
  await stopAt(0)
})

test('409 conflict: once it has begun to leave nothing can be changed any more', async () => {
  const workspace = await world.workspace('begun')
  const id = await handedOver(world, workspace, { scheduled_at: inSeconds(300) })
  await arrive(workspace, 301)
  assertRefused(await move(workspace, id, 7200), 'conflict', { status: 'sent' })
  assertRefused(await cancel(workspace, id), 'conflict')
  await stopAt(0)
})

test('cancel and claim at the same moment: it left or it was cancelled, never both', async () => {
  const workspace = await world.workspace('both')
  for (let round = 0; round < 15; round++) {
    const to = `both-${round}@example.com`
    const id = await handedOver(world, workspace, { to, scheduled_at: inSeconds(300) })
    await stopAt(301)
    const [answer] = await Promise.all([cancel(workspace, id), turn(world, workspace)])
    await turn(world, workspace)
    await stopAt(0)
    assert.ok(answer.status === 200 || answer.status === 409)
    assert.equal(mailsTo(to), answer.status === 200 ? 0 : 1)
    assert.equal(
      at(await read(world, workspace, id), 'status'),
      answer.status === 200 ? 'failed' : 'sent',
    )
  }
})
