/**
 * Forged and stale feedback changes nothing, is not stored, and the log says why, without the
 * recipient (security: inbound mail).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'
import { handedOver, claim, ledgerRow, startRelayWorld } from '../../support/relay-world.ts'
import { sentCampaign } from '../../support/tracking-world.ts'

const logged: { fields: object; message: string }[] = []
const keep = (fields: object, message: string) => void logged.push({ fields, message })
const log = { debug: keep, info: keep, warn: keep, error: keep }
const world = await startRelayWorld()
const { service } = world
const { db } = service
const home = await world.workspace('home')

/** Stores feedback and answers the log's lines on it. */
async function report(
  workspace: TestWorkspace,
  ...news: Feedback[]
): Promise<{ changes: number; output: object[] }> {
  logged.length = 0
  const { changes } = await recordFeedback(
    { ...service, log },
    { workspaceId: workspace.id, feedback: news },
  )
  assert.ok(
    logged.every(({ message, fields }) => !JSON.stringify([message, fields]).includes('@')),
    'no addresses',
  )
  return { changes: changes.length, output: logged.map(({ fields }) => fields) }
}

/** All that feedback may change of a workspace. */
const everything = ({ id }: TestWorkspace) =>
  db.rows(sql`
    select (select json_agg(r order by message_id) from recipient r where workspace_id = ${id}) as rows,
      (select json_agg(r order by subscriber_id) from campaign_recipient r where workspace_id = ${id}) as readers,
      (select json_agg(p) from campaign_run p where workspace_id = ${id}) as progress,
      (select json_agg(t) from campaign_tally t where workspace_id = ${id}) as tallies,
      (select json_agg(s) from suppression s where workspace_id = ${id}) as closed,
      (select json_agg(s) from soft_bounce s where workspace_id = ${id}) as soft,
      (select json_agg(d) from reputation_day d where workspace_id = ${id}) as reputation,
      (select count(*) from feedback where workspace_id = ${id}) as news, (select count(*) from raw_notice where workspace_id = ${id}) as notices`)

/** Every kind of feedback, with the notice it was read in. */
const allOf = (target: Feedback['target'], source: Feedback['source'] = 'dsn'): Feedback[] =>
  (['sent', 'delivered', 'delayed', 'bounced', 'complained', 'failed'] as const).map((kind) =>
    newsFrom(target, kind, { source, raw: { id: `raw ${kind}`, bytes: Buffer.from('x') } }),
  )

test('feedback on a row whose hand-off never started', async () => {
  const id = await handedOver(world, home, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const campaign = await sentCampaign(world, home, {
    row: { state: 'pending', status: 'queued', attempts: 0 },
  })
  const before = await everything(home)
  const targets = [
    { messageId: id, position: 0 },
    { campaignId: campaign.id, subscriberId: campaign.contacts[0] ?? '' },
  ]
  assert.deepEqual(await report(home, ...targets.flatMap((target) => allOf(target))), {
    changes: 0,
    output: [{ workspaceId: home.id, source: 'dsn', why: 'not_begun', count: 12 }],
  })
  assert.deepEqual(await everything(home), before)
})

test("feedback on another workspace's message, on an unknown recipient, and ten thousand on unknown messages", async () => {
  const stranger = await world.workspace('stranger')
  const id = await handedOver(world, home)
  const campaign = await sentCampaign(world, home)
  const before = await everything(home)
  const target = { messageId: id, position: 0 }
  const reader = { campaignId: campaign.id, subscriberId: campaign.contacts[0] ?? '' }
  assert.deepEqual(await report(stranger, ...allOf(target), ...allOf(reader)), {
    changes: 0,
    output: [{ workspaceId: stranger.id, source: 'dsn', why: 'unknown', count: 12 }],
  })
  assert.deepEqual(await report(home, ...allOf({ messageId: id, position: 7 })), {
    changes: 0,
    output: [{ workspaceId: home.id, source: 'dsn', why: 'unknown', count: 6 }],
  })
  const many = Array.from({ length: 10_000 }, () =>
    newsFrom({ messageId: service.makeId(), position: 0 }, 'bounced', { source: 'arf' }),
  )
  assert.deepEqual(await report(home, ...many), {
    changes: 0,
    output: [{ workspaceId: home.id, source: 'arf', why: 'unknown', count: 10_000 }],
  })
  assert.deepEqual(await everything(home), before)
  const [stored] = await db.rows<{ count: number }>(
    sql`select count(*)::int as count from feedback where workspace_id = ${stranger.id}`,
  )
  assert.equal(stored?.count, 0)
})

for (const [source, days] of [
  ['dsn', 14],
  ['arf', 180],
] as const) {
  test(`${source}: ${days} days after the hand-off it is believed, a day later it is not; of messages, campaigns and what is in doubt`, async () => {
    const workspace = await world.workspace(`old ${source}`)
    const young = await sentCampaign(world, workspace, {
      contacts: 1,
      secondsAgo: (days - 1) * 86_400,
    })
    const old = await sentCampaign(world, workspace, {
      contacts: 1,
      secondsAgo: (days + 1) * 86_400,
    })
    const id = await handedOver(world, workspace)
    const doubtful = await handedOver(world, workspace, {
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await world.run(`update recipient set next_at = facteur_now() where message_id = '${doubtful}'`)
    await claim(world, workspace)
    await world.run(
      `update recipient set state = 'in_doubt', next_at = facteur_now() + interval '1 year' where message_id = '${doubtful}'`,
    )
    const reader = (campaign: typeof young) => ({
      campaignId: campaign.id,
      subscriberId: campaign.contacts[0] ?? '',
    })
    const bounce = (target: Feedback['target']) => newsFrom(target, 'bounced', { source })
    assert.equal((await report(workspace, bounce(reader(young)))).changes, 1)
    const tooOld = (count: number) => ({
      changes: 0,
      output: [{ workspaceId: workspace.id, source, why: 'too_old', count }],
    })
    assert.deepEqual(await report(workspace, bounce(reader(old))), tooOld(1))
    await world.moveClock(`${days + 1} days`)
    const messages = [
      { messageId: id, position: 0 },
      { messageId: doubtful, position: 0 },
    ]
    assert.deepEqual(await report(workspace, ...messages.map(bounce)), tooOld(2))
    assert.equal((await ledgerRow(world, workspace, id)).status, 'sent')
    // A provider whose notices are signed may come late.
    assert.equal(
      (await report(workspace, ...messages.map((target) => newsFrom(target, 'bounced')))).changes,
      2,
    )
    await world.moveClock('0 days')
  })
}

test('the same feedback again', async () => {
  const id = await handedOver(world, home)
  const once = allOf({ messageId: id, position: 0 })
  assert.equal((await report(home, ...once)).changes, 1)
  const before = await everything(home)
  assert.deepEqual(await report(home, ...once, ...once), {
    changes: 0,
    output: [{ workspaceId: home.id, source: 'dsn', why: 'repeated', count: 12 }],
  })
  assert.deepEqual(await everything(home), before)
})

test('a notice is stored once, cut at 64 KB with its whole length, and deleted after thirty days; words are cut too', async () => {
  const workspace = await world.workspace('notices')
  const id = await handedOver(world, workspace)
  const raw = { id: 'notice', bytes: Buffer.alloc(200_000, 'x') }
  const detail = `550 5.1.1 ${'y'.repeat(5_000)}\0`
  await report(
    workspace,
    newsFrom({ messageId: id, position: 0 }, 'delayed', { source: 'dsn', raw, detail }),
    newsFrom({ messageId: id, position: 0 }, 'failed', { source: 'dsn', raw, detail }),
  )
  const stored = () =>
    db.rows(
      sql`select id, size, octet_length(bytes) as kept from raw_notice where workspace_id = ${workspace.id}`,
    )
  assert.deepEqual(await stored(), [{ id: 'notice', size: 200_000, kept: 65_536 }])
  assert.equal((await ledgerRow(world, workspace, id)).error?.length, 1_000)
  await world.moveClock('29 days')
  await cleanUp(service, new AbortController().signal)
  assert.equal((await stored()).length, 1)
  await world.moveClock('61 days')
  await cleanUp(service, new AbortController().signal)
  assert.deepEqual(await stored(), [])
  assert.equal(
    (await db.rows(sql`select 1 from feedback where workspace_id = ${workspace.id}`)).length,
    2,
  )
  await world.moveClock('0 days')
})

test('delayed feedback is stored and changes no status; a delivery is dated by its source, within the hand-off and now', async () => {
  const dates = await world.workspace('dates')
  const id = await handedOver(world, dates)
  const target = { messageId: id, position: 0 }
  await report(dates, newsFrom(target, 'delayed', { detail: '452 4.2.2 full' }))
  assert.partialDeepStrictEqual(await ledgerRow(world, dates, id), { status: 'sent', error: null })
  const dated = async (at: Date) => {
    const over = await handedOver(world, dates)
    await report(dates, newsFrom({ messageId: over, position: 0 }, 'delivered', { at }))
    const [row] = await db.rows<{ sane: boolean }>(sql`
      select delivered_at between sent_at and facteur_now() as sane from recipient where workspace_id = ${dates.id} and message_id = ${over}`)
    return row?.sane
  }
  assert.deepEqual(
    [
      await dated(new Date(0)),
      await dated(new Date(Date.now() + 86_400_000)),
      await dated(new Date()),
    ],
    [true, true, true],
  )
})
