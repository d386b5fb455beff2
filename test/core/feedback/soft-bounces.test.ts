/**
 * Soft bounces: five in a row over a week suppress an address; a delivery ends the row; policy and
 * sizes never count (issue: Feedback).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assumeDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { at } from '../../support/json.ts'
import { newsFrom } from '../../support/feedback.ts'
import {
  handedOver,
  ledgerRow,
  post,
  read,
  startRelayWorld,
  turn,
} from '../../support/relay-world.ts'
import { sentCampaign } from '../../support/tracking-world.ts'

const world = await startRelayWorld({ settings: { queueLifeSeconds: 60, retryFirstSeconds: 30 } })
const { service } = world
const { db } = service

let day = 0
/** So many days later than before; never back, since previous rows would lie ahead. */
async function pass(days: number): Promise<void> {
  day += days
  await world.moveClock(`${day * 24} hours`)
}

/** Sends a mail, and reports the reply of the recipient's server to the relay. */
async function bounced(workspace: TestWorkspace, to: string, more = {}): Promise<string> {
  const id = await handedOver(world, workspace, { to })
  const soft = { bounce: 'soft' as const, detail: '552 5.2.2 mailbox full', ...more }
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [newsFrom({ messageId: id, position: 0 }, 'bounced', soft)],
  })
  return id
}

async function delivered(workspace: TestWorkspace, to: string): Promise<void> {
  const id = await handedOver(world, workspace, { to })
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [newsFrom({ messageId: id, position: 0 }, 'delivered')],
  })
}

const reasonOf = async (workspace: TestWorkspace, email: string): Promise<string | null> => {
  const [row] = await db.rows<{ reason: string }>(sql`
    select reason from suppression where workspace_id = ${workspace.id} and email = ${email}`)
  return row?.reason ?? null
}

test('a soft bounce is failed with its class and its text, and suppresses nothing', async () => {
  const workspace = await world.workspace('one soft')
  const id = await bounced(workspace, 'full@example.com')
  const email = await read(world, workspace, id)
  assert.equal(at(email, 'status'), 'failed')
  assert.equal(at(email, 'error'), '552 5.2.2 mailbox full')
  assert.equal(at(email, 'recipients', '0', 'bounce'), 'soft')
  assert.equal(await reasonOf(workspace, 'full@example.com'), null)
})

test('five in a row over seven days suppress the address; four, or five in six days, do not', async () => {
  const workspace = await world.workspace('five')
  for (let count = 0; count < 4; count++) await bounced(workspace, 'slow@example.com')
  await pass(6)
  await bounced(workspace, 'slow@example.com')
  assert.equal(await reasonOf(workspace, 'slow@example.com'), null, 'five in six days')
  await pass(1)
  await bounced(workspace, 'Slow@example.com')
  assert.equal(await reasonOf(workspace, 'slow@example.com'), 'bounce')
  assert.equal((await post(world, workspace, { to: 'slow@example.com' })).status, 422)
  for (let count = 0; count < 4; count++)
    await bounced(workspace, count % 2 ? 'four@example.com' : 'Four@example.com')
  await pass(30)
  assert.equal(await reasonOf(workspace, 'four@example.com'), null, 'four')
})

test('a delivery, reported or assumed, ends the row of soft bounces at any point of it', async () => {
  const workspace = await world.workspace('ended')
  for (const to of ['told@example.com', 'silent@example.com']) {
    for (let count = 0; count < 2; count++) await bounced(workspace, to)
    await pass(4)
    if (to === 'told@example.com') await delivered(workspace, to)
    else {
      await handedOver(world, workspace, { to })
      await assumeDelivered(service, {
        workspaceId: workspace.id,
        limits: { silenceSeconds: 0, max: 100 },
      })
    }
    for (let count = 0; count < 4; count++) {
      await pass(2)
      await bounced(workspace, to)
    }
    assert.equal(await reasonOf(workspace, to), null, `${to}: four since the delivery`)
    await pass(2)
    await bounced(workspace, to)
    assert.equal(await reasonOf(workspace, to), 'bounce', `${to}: five since the delivery`)
  }
})

test('mail without feedback for as long as a bounce could come ends the row too', async () => {
  const workspace = await world.workspace('untold')
  const to = 'untold@example.com'
  for (let count = 0; count < 2; count++) await bounced(workspace, to)
  await pass(1)
  await handedOver(world, workspace, { to })
  await pass(15)
  for (let count = 0; count < 4; count++) {
    await bounced(workspace, to)
    await pass(3)
  }
  assert.equal(await reasonOf(workspace, to), null, 'four since')
  await handedOver(world, workspace, { to })
  await pass(13)
  await bounced(workspace, to)
  assert.equal(
    await reasonOf(workspace, to),
    'bounce',
    'what was sent 13 days ago may still come back',
  )
})

test('silence for mail that was handed over later ends no row: it may still come back', async () => {
  const workspace = await world.workspace('overlapping')
  const to = 'late-reports@example.com'
  const ids: string[] = []
  for (let count = 0; count < 6; count++) {
    ids.push(await handedOver(world, workspace, { to }))
    await assumeDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 0, max: 100 },
    })
    await pass(2)
  }
  // Each report comes ten days after its mail, when later ones were taken for delivered.
  for (const [index, id] of ids.slice(0, 5).entries()) {
    assert.equal(await reasonOf(workspace, to), null, String(index))
    await recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom({ messageId: id, position: 0 }, 'bounced', { bounce: 'soft' })],
    })
    assert.equal((await ledgerRow(world, workspace, id)).status, 'failed', 'silence proves nothing')
  }
  assert.equal(await reasonOf(workspace, to), 'bounce')
})

test('policy, sizes and faults never suppress an address, however many', async () => {
  const workspace = await world.workspace('never')
  for (let count = 0; count < 8; count++) {
    await bounced(workspace, 'policy@example.com', {
      bounce: 'policy',
      detail: '550 5.7.1 blocked',
    })
    await bounced(workspace, 'size@example.com', { bounce: 'other', detail: '552 5.3.4 too big' })
    await pass(2)
  }
  assert.deepEqual(
    [
      await reasonOf(workspace, 'policy@example.com'),
      await reasonOf(workspace, 'size@example.com'),
    ],
    [null, null],
  )
})

test('our own attempts count: refused at once, or for now until the queue life is over; once for each message', async () => {
  const workspace = await world.workspace('own attempts')
  for (let count = 0; count < 3; count++) {
    world.answer((moment) => (moment.phase === 'rcpt' ? '552 5.2.2 over quota' : undefined))
    assert.equal((await post(world, workspace, { to: 'own@example.com' })).status, 502)
    await pass(1)
  }
  for (let count = 0; count < 2; count++) {
    world.answer((moment) => (moment.phase === 'rcpt' ? '452 4.2.2 over quota' : undefined))
    const id = await handedOver(world, workspace, { to: 'own@example.com' })
    assert.equal((await ledgerRow(world, workspace, id)).state, 'pending')
    await pass(2)
    assert.equal(await reasonOf(workspace, 'own@example.com'), null)
    await turn(world, workspace)
    assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
      status: 'failed',
      state: 'settled',
    })
    // A report names the same bounce again.
    if (count === 0) {
      for (let report = 0; report < 3; report++)
        await recordFeedback(service, {
          workspaceId: workspace.id,
          feedback: [newsFrom({ messageId: id, position: 0 }, 'bounced', { bounce: 'soft' })],
        })
    }
  }
  world.answer(undefined)
  assert.equal(await reasonOf(workspace, 'own@example.com'), 'bounce')
})

test("a relay's reply before the recipient, and a deferral by policy, count for no address", async () => {
  const workspace = await world.workspace('not theirs')
  for (const reply of ['451 4.3.0 not now', '452 4.3.1 no space']) {
    for (let count = 0; count < 4; count++) {
      world.answer((moment) => (moment.phase === 'mail' ? reply : undefined))
      await handedOver(world, workspace, { to: 'theirs@example.com' })
      await pass(2)
      await turn(world, workspace)
    }
  }
  world.answer(undefined)
  assert.equal(await reasonOf(workspace, 'theirs@example.com'), null)
  assert.deepEqual(
    await db.rows(sql`select 1 from soft_bounce where workspace_id = ${workspace.id}`),
    [],
  )
})

test("campaigns and single messages count together, and the subscriber is bounced; another workspace's do not", async () => {
  const workspace = await world.workspace('together')
  const stranger = await world.workspace('stranger')
  const campaign = await sentCampaign(world, workspace, { contacts: 1, secondsAgo: 60 })
  const target = { campaignId: campaign.id, subscriberId: campaign.contacts[0] ?? '' }
  const to = `p1.${campaign.id}@example.com`
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [newsFrom(target, 'bounced', { bounce: 'soft' })],
  })
  for (let count = 0; count < 3; count++) {
    await pass(4)
    await bounced(workspace, to)
    await bounced(stranger, to)
    if (count < 2) await bounced(stranger, to)
  }
  assert.deepEqual([await reasonOf(workspace, to), await reasonOf(stranger, to)], [null, 'bounce'])
  await bounced(workspace, to)
  assert.equal(await reasonOf(workspace, to), 'bounce', "the fifth, the campaign's included")
  assert.deepEqual(
    await db.rows(sql`select status from subscriber where workspace_id = ${workspace.id}`),
    [{ status: 'bounced' }],
  )
})

test('an address that the operator removed from the list starts at no soft bounces', async () => {
  const workspace = await world.workspace('opened')
  for (let count = 0; count < 5; count++) {
    await bounced(workspace, 'again@example.com')
    await pass(2)
  }
  assert.equal(await reasonOf(workspace, 'again@example.com'), 'bounce')
  await db.count(sql`delete from suppression where workspace_id = ${workspace.id}`)
  for (let count = 0; count < 4; count++) {
    await bounced(workspace, 'again@example.com')
    await pass(2)
  }
  assert.equal(await reasonOf(workspace, 'again@example.com'), null)
})
