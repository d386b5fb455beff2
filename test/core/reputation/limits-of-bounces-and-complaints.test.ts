/**
 * When sending is suspended: strictly above 5 % bounces or 0.1 % complaints, over floors, of a
 * rolling 30 days (semantics 1, Reputation).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../../src/database/client/sql.ts'
import {
  beginReputationEpoch,
  setReputationFloors,
} from '../../../src/db/workspaces/account-status.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { ask, assertRefused } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import {
  handedOver,
  ledgerRow,
  post,
  read,
  startRelayWorld,
  turn,
} from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { db } = world.service

interface Counts {
  handOffs: number
  bounces: number
  complaints: number
}

const isSuspended = async (workspace: TestWorkspace): Promise<boolean> => {
  const shown = at(
    (await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })).body,
    'sending',
    'status',
  )
  const { status, body } = await post(world, workspace)
  assert.equal(shown, status === 403 ? 'suspended' : 'active', 'what is shown is what is done')
  assert.ok(status === 202 || status === 403, JSON.stringify(body))
  return status === 403
}

const boundaries: [situation: string, counts: Counts, suspended: boolean][] = [
  ['exactly 5 % of bounces', { handOffs: 100, bounces: 5, complaints: 0 }, false],
  ['one bounce above 5 %', { handOffs: 100, bounces: 6, complaints: 0 }, true],
  ['just above 5 %', { handOffs: 10_000, bounces: 501, complaints: 0 }, true],
  ['just below 5 %', { handOffs: 10_000, bounces: 499, complaints: 0 }, false],
  [
    'fewer than 100 hand-offs, whatever bounced',
    { handOffs: 99, bounces: 99, complaints: 99 },
    false,
  ],
  ['exactly 0.1 % of complaints', { handOffs: 2_000, bounces: 0, complaints: 2 }, false],
  ['one complaint above 0.1 %', { handOffs: 2_000, bounces: 0, complaints: 3 }, true],
  ['a single complaint, though it is 1 %', { handOffs: 100, bounces: 0, complaints: 1 }, false],
  ['two complaints of 100', { handOffs: 100, bounces: 0, complaints: 2 }, true],
]
for (const [situation, counts, suspended] of boundaries) {
  test(`${suspended ? '403 reputation_blocked' : '202'}: ${situation}`, async () => {
    const workspace = await world.workspace(situation)
    await workspace.setReputation(counts)
    assert.equal(await isSuspended(workspace), suspended)
  })
}

test('any counts and any floors: suspended by the rule, and by nothing else', async () => {
  const workspace = await world.workspace('any counts')
  const counts = fc.record({ handOffs: fc.nat(3_000), bounces: fc.nat(200), complaints: fc.nat(6) })
  const floors = fc.record({ handOffs: fc.nat(400), bounces: fc.nat(20), complaints: fc.nat(4) })
  await fc.assert(
    fc.asyncProperty(counts, floors, async (counted, least) => {
      await workspace.setReputation(counted)
      await setReputationFloors(db, workspace.id, least)
      const { handOffs, bounces, complaints } = counted
      const suspended =
        handOffs >= least.handOffs &&
        ((bounces >= least.bounces && bounces * 20 > handOffs) ||
          (complaints >= least.complaints && complaints * 1000 > handOffs))
      assert.equal(await isSuspended(workspace), suspended)
    }),
    { numRuns: 60 },
  )
})

test('more bounces than hand-offs, because the hand-offs left the window: the rate that is shown is 1', async () => {
  const workspace = await world.workspace('late bounces')
  await workspace.setReputation({ handOffs: 2, bounces: 5, complaints: 3 })
  const { body } = await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })
  assert.partialDeepStrictEqual(at(body, 'sending'), { bounce_rate: 1, complaint_rate: 1 })
})

test('the operator may lower the floors', async () => {
  const workspace = await world.workspace('floors')
  await workspace.setReputation({ handOffs: 10, bounces: 1, complaints: 0 })
  assert.equal(await isSuspended(workspace), false)
  await setReputationFloors(db, workspace.id, { handOffs: 10, bounces: 1, complaints: null })
  assert.equal(await isSuspended(workspace), true)
})

test('resuming starts a new window, in which bounces count again', async () => {
  const workspace = await world.workspace('resume')
  await setReputationFloors(db, workspace.id, { handOffs: 1, bounces: 1, complaints: null })
  await workspace.setReputation({ handOffs: 100, bounces: 50, complaints: 50 })
  assert.equal(await isSuspended(workspace), true)
  await beginReputationEpoch(db, workspace.id)
  assert.equal(await isSuspended(workspace), false)
  world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.1.1 no such user' : undefined))
  assert.equal((await post(world, workspace, { to: 'gone@example.com' })).status, 502)
  world.answer(undefined)
  assert.equal(await isSuspended(workspace), true)
})

test('while suspended, mail that was accepted before still leaves', async () => {
  const workspace = await world.workspace('still goes')
  const id = await handedOver(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await workspace.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  assertRefused(await post(world, workspace), 'reputation_blocked', {
    hand_offs: 100,
    bounces: 50,
    bounce_rate: 0.5,
  })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  await turn(world, workspace)
  assert.equal(at(await read(world, workspace, id), 'status'), 'sent')
})

test('refusals of policy and of anything but the address count for no bounce', async () => {
  const workspace = await world.workspace('policy')
  for (const reply of ['550 5.7.1 blocked', '552 5.2.2 mailbox full', '554 5.0.0 no']) {
    world.answer((moment) => (moment.phase === 'rcpt' ? reply : undefined))
    assert.equal((await post(world, workspace)).status, 502)
  }
  world.answer(undefined)
  const days = await db.rows(
    sql`select bounces from reputation_day where workspace_id = ${workspace.id} and bounces > 0`,
  )
  assert.deepEqual(days, [])
})

test('a day counts for 30 days and no longer', async () => {
  const workspace = await world.workspace('window')
  await workspace.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  await world.moveClock('29 days')
  assert.equal(await isSuspended(workspace), true)
  await world.moveClock('30 days')
  assert.equal(await isSuspended(workspace), false)
  await world.moveClock('0 days')
})

test('a hand-off is counted when it is made, once for each recipient', async () => {
  const workspace = await world.workspace('hand-offs')
  const id = await handedOver(world, workspace, {
    to: ['a@example.com', 'b@example.com'],
    bcc: 'c@example.com',
  })
  assert.equal(at(await read(world, workspace, id), 'status'), 'sent')
  const days = await db.rows(sql`
    select hand_offs::int, bounces::int, complaints::int from reputation_day where workspace_id = ${workspace.id}`)
  assert.deepEqual(days, [{ handOffs: 3, bounces: 0, complaints: 0 }])
  const over = await handedOver(world, workspace)
  assert.equal((await ledgerRow(world, workspace, over)).status, 'sent')
})
