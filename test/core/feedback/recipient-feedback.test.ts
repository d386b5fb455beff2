/**
 * Feedback on a recipient: once each, in any order, late, early and all at once; the status only
 * moves forward (semantics 3).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { createRecordOutcome } from '../../../src/core/sending/record-outcome.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { assumeDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import type { OutcomeRow } from '../../../src/db/sending/outcomes.ts'
import { ask } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import {
  handedOver,
  claim,
  ledger,
  ledgerRow,
  post,
  read,
  startRelayWorld,
  turn,
} from '../../support/relay-world.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'

const world = await startRelayWorld()
const { service } = world
const home = await world.workspace('feedback')

type Kind = 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
const kinds: Kind[] = ['sent', 'delivered', 'bounced', 'complained', 'failed']
/** Least advanced first. */
const order = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained']
const furthest = (statuses: string[]): string =>
  statuses.toSorted((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? 'queued'

const news = (messageId: string, kind: Feedback['kind'], position = 0): Feedback =>
  newsFrom({ messageId, position }, kind)

const report = async (workspace: TestWorkspace, ...rows: Feedback[]) =>
  (await recordFeedback(service, { workspaceId: workspace.id, feedback: rows })).changes

/** A message whose hand-off has not begun. */
async function scheduled(workspace: TestWorkspace, body: object = {}): Promise<string> {
  return handedOver(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...body,
  })
}

/** A message whose hand-off has started and has no end yet. */
async function underWay(workspace: TestWorkspace, body: object = {}): Promise<string> {
  const id = await scheduled(workspace, body)
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  await claim(world, workspace, 100)
  return id
}

const record = createRecordOutcome(service, { inHalves: true })
const end = (messageId: string, event: OutcomeRow['event'], fence = 1, position = 0) =>
  record(home.id, {
    messageId,
    position,
    fence,
    event,
    error: 'our word',
    response: 'our word',
    copy: null,
  })

const statusOf = async (id: string): Promise<string> => (await ledgerRow(world, home, id)).status

test('all at once, over several connections: nothing is lost, and the furthest stays', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await handedOver(world, home, { to: `at-once-${round}@example.com` })
    const shuffled = [...kinds, ...kinds].toSorted(() => Math.random() - 0.5)
    await Promise.all(shuffled.map((kind) => report(home, news(id, kind))))
    assert.equal(await statusOf(id), 'complained', `after ${shuffled.join()}`)
  }
})

test('feedback and the outcome at the same instant: neither is lost', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await underWay(home, { to: `instant-${round}@example.com` })
    await Promise.all([end(id, 'sent'), report(home, news(id, 'delivered'))])
    assert.partialDeepStrictEqual(await ledgerRow(world, home, id), {
      status: 'delivered',
      state: 'settled',
    })
  }
})

test('silence and a bounce at the same instant: the bounce stays', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await handedOver(world, home, { to: `silent-bounce-${round}@example.com` })
    await Promise.all([
      assumeDelivered(service, { workspaceId: home.id, limits: { silenceSeconds: 0, max: 100 } }),
      report(home, news(id, 'bounced')),
    ])
    assert.equal(await statusOf(id), 'bounced')
  }
})

test('the same feedback twice is stored once and changes nothing the second time', async () => {
  const id = await handedOver(world, home)
  const once = news(id, 'delivered')
  assert.equal((await report(home, once)).length, 1)
  assert.equal((await report(home, once)).length, 0)
  const stored = await service.db.rows(
    sql`select 1 from feedback where workspace_id = ${home.id} and message_id = ${id}`,
  )
  assert.equal(stored.length, 1)
})

test('feedback twice in one batch is stored once', async () => {
  const id = await handedOver(world, home)
  const once = news(id, 'delivered')
  await report(home, once, once)
  assert.equal(await statusOf(id), 'delivered')
})

test('feedback on a row whose hand-off never started changes nothing and is not stored', async () => {
  const id = await scheduled(home)
  for (const kind of kinds) await report(home, news(id, kind))
  assert.partialDeepStrictEqual(await ledgerRow(world, home, id), {
    status: 'queued',
    state: 'pending',
  })
  assert.equal(
    (
      await service.db.rows(
        sql`select 1 from feedback where workspace_id = ${home.id} and message_id = ${id}`,
      )
    ).length,
    0,
  )
})

test('feedback on an unknown message or recipient changes nothing', async () => {
  assert.deepEqual(await report(home, news('0199aaaa-0000-7000-8000-000000000000', 'bounced')), [])
  const id = await handedOver(world, home)
  assert.deepEqual(await report(home, news(id, 'bounced', 7)), [])
})

test("another workspace's feedback does not touch ours", async () => {
  const stranger = await world.workspace('stranger')
  const id = await handedOver(world, home)
  await report(stranger, news(id, 'bounced'))
  assert.equal(await statusOf(id), 'sent')
})

for (const kind of ['delivered', 'bounced', 'complained', 'failed'] as const) {
  for (const event of ['sent', 'deferred', 'in_doubt', 'threw', 'failed', 'bounced'] as const) {
    test(`${kind} is known before our own outcome, ${event}: settled, not sent again, and no step back`, async () => {
      const id = await underWay(home, { to: `early-${kind}-${event}@example.com` })
      await report(home, news(id, kind))
      await end(id, event)
      const row = await ledgerRow(world, home, id)
      assert.equal(row.state, 'settled')
      const ours = event === 'bounced' || event === 'failed' || event === 'sent' ? event : 'queued'
      assert.equal(row.status, furthest([kind, ours]))
      if (row.status === 'delivered') assert.equal(row.error, null)
      if (row.status === kind && kind !== 'delivered') assert.equal(row.error, `because ${kind}`)
    })
  }

  test(`${kind} is known and then the worker is lost: settled, not sent again`, async () => {
    const workspace = await world.workspace(`lost after ${kind}`)
    const id = await underWay(workspace)
    await report(workspace, news(id, kind))
    await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
    await turn(world, workspace)
    assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
      status: kind,
      state: 'settled',
      attempts: 1,
    })
  })

  test(`${kind} resolves a recipient in doubt`, async () => {
    const id = await underWay(home, { to: `doubt-${kind}@example.com` })
    await world.run(`update recipient set doubts = 1 where message_id = '${id}'`)
    await end(id, 'in_doubt')
    assert.equal((await ledgerRow(world, home, id)).state, 'in_doubt')
    await report(home, news(id, kind))
    assert.partialDeepStrictEqual(await ledgerRow(world, home, id), {
      status: kind,
      state: 'settled',
    })
  })

  test(`${kind} ends the wait for a repeat`, async () => {
    const id = await underWay(home, { to: `repeat-${kind}@example.com` })
    await end(id, 'in_doubt')
    assert.equal((await ledgerRow(world, home, id)).state, 'pending')
    await report(home, news(id, kind))
    assert.partialDeepStrictEqual(await ledgerRow(world, home, id), {
      status: kind,
      state: 'settled',
    })
  })
}

test('late proof of delivery beats our giving up', async () => {
  const id = await underWay(home)
  await end(id, 'failed')
  assert.equal(await statusOf(id), 'failed')
  await report(home, news(id, 'delivered'))
  assert.partialDeepStrictEqual(await ledgerRow(world, home, id), {
    status: 'delivered',
    error: null,
  })
  assert.ok(at(await read(world, home, id), 'delivered_at'))
})

test('a late bounce after delivery: bounced, and the address is suppressed with its reason', async () => {
  const id = await handedOver(world, home, { to: 'late-bounce@example.com' })
  await report(home, news(id, 'delivered'), news(id, 'bounced'))
  assert.equal(await statusOf(id), 'bounced')
  const answer = await post(world, home, { to: 'Late-Bounce@example.com' })
  assert.equal(at(answer.body, 'error', 'details', 'reason'), 'bounce')
})

test('a complaint outranks the bounce on the suppression list, and not the other way round', async () => {
  const both = await handedOver(world, home, { to: ['one@example.com', 'two@example.com'] })
  await report(home, news(both, 'bounced'), news(both, 'complained', 1))
  await report(home, news(both, 'complained'), news(both, 'bounced', 1))
  for (const email of ['one@example.com', 'two@example.com']) {
    const answer = await ask(world.baseUrl, `GET /api/v1/suppression?email=${email}`, {
      key: home.key,
    })
    assert.deepEqual(at(answer.body, 'data', '0', 'reason'), 'complaint')
  }
})

test('of the mails to one address the complaint about one outranks the bounce of another, in any order and together', async () => {
  const reasonAfter = async (name: string, steps: Kind[][]): Promise<unknown> => {
    const email = `${name}@example.com`
    const ids = await Promise.all(steps.flat().map(() => handedOver(world, home, { to: email })))
    for (const step of steps)
      await report(home, ...step.map((kind) => news(ids.shift() ?? '', kind)))
    const answer = await ask(world.baseUrl, `GET /api/v1/suppression?email=${email}`, {
      key: home.key,
    })
    return at(answer.body, 'data', '0', 'reason')
  }
  assert.equal(await reasonAfter('complaint-first', [['complained'], ['bounced']]), 'complaint')
  assert.equal(await reasonAfter('bounce-first', [['bounced'], ['complained']]), 'complaint')
  assert.equal(await reasonAfter('together', [['bounced', 'complained']]), 'complaint')
  assert.equal(await reasonAfter('together-too', [['complained', 'bounced']]), 'complaint')
})

test('sent, delivered and failed suppress no address', async () => {
  const id = await handedOver(world, home, { to: 'open@example.com' })
  await report(home, news(id, 'failed'), news(id, 'delivered'), news(id, 'sent'))
  assert.equal((await post(world, home, { to: 'open@example.com' })).status, 202)
})

test('a bounce completes the waiting recipients of the same address in other messages', async () => {
  const waiting = await scheduled(home, { to: 'closed-later@example.com' })
  const id = await handedOver(world, home, { to: 'Closed-Later@example.com' })
  await report(home, news(id, 'bounced'))
  assert.partialDeepStrictEqual(await ledgerRow(world, home, waiting), {
    status: 'failed',
    state: 'settled',
    error: 'suppressed: bounce',
  })
})

test('of several recipients: complained, else bounced, else failed, else the least advanced', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.constantFrom(...kinds)), { minLength: 1, maxLength: 4 }),
      async (each) => {
        await home.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
        const id = await handedOver(world, home, {
          to: each.map((_, index) => `several-${index}@example.com`),
        })
        await report(
          home,
          ...each.flatMap((kind, position) => (kind ? [news(id, kind, position)] : [])),
        )
        await world.run(`delete from suppression where email like 'several-%'`)
        const statuses = new Set((await ledger(world, home, id)).map((row) => row.status))
        const expected = ['complained', 'bounced', 'failed', 'queued', 'sent', 'delivered'].find(
          (status) => statuses.has(status),
        )
        const email = await read(world, home, id)
        assert.equal(at(email, 'status'), expected)
        const wrong = expected === 'complained' || expected === 'bounced' || expected === 'failed'
        assert.equal(at(email, 'error'), wrong ? `because ${expected}` : null)
        assert.equal(
          at(email, 'delivered_at') !== null,
          expected === 'delivered' || expected === 'complained',
        )
        const listed = await ask(world.baseUrl, `GET /api/v1/emails?status=${expected}&limit=1`, {
          key: home.key,
        })
        assert.equal(at(listed.body, 'data', '0', 'id'), id)
      },
    ),
    { numRuns: 40 },
  )
})

test('a bounce or complaint counts once for the reputation, however often and by whichever source it is reported', async () => {
  const workspace = await world.workspace('counted once')
  const id = await underWay(workspace)
  await report(workspace, news(id, 'bounced'))
  await record(workspace.id, {
    messageId: id,
    position: 0,
    fence: 1,
    event: 'bounced',
    error: 'x',
    response: 'x',
    copy: null,
  })
  await report(workspace, news(id, 'bounced'), news(id, 'complained'))
  await report(workspace, news(id, 'complained'))
  const days = await service.db.rows(sql`
    select hand_offs::int, bounces::int, complaints::int from reputation_day where workspace_id = ${workspace.id}`)
  assert.deepEqual(days, [{ handOffs: 1, bounces: 1, complaints: 1 }])
})
