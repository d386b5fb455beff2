/**
 * Doubt is shown while it lasts, it is decided in time, and every row that is given up publishes
 * `email.failed` (semantics 2).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScanMark } from '../../../src/ground/scan-mark.ts'
import { maintainCampaign } from '../../../src/core/campaigns/maintain-campaign.ts'
import { openBatchSender } from '../../../src/core/campaigns/open-batch-sender.ts'
import { recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import type { CampaignKey } from '../../../src/db/campaigns/campaign-key.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { ask, assertAnswered } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { addSubscribers, campaignRow, draftOf, send } from '../../support/campaign-world.ts'
import {
  handedOver,
  claim,
  ledgerRow,
  read,
  startRelayWorld,
  turn,
} from '../../support/relay-world.ts'

const world = await startRelayWorld()
const stopAt = await world.stopTime()
let offsetSeconds = 0

async function pass(seconds: number): Promise<void> {
  offsetSeconds += seconds
  await stopAt(offsetSeconds)
}

const nowMs = async (): Promise<number> => {
  const [row] = await world.service.db.rows<{ now: Date }>(sql`select facteur_now() as now`)
  return row?.now.getTime() ?? NaN
}

/** A workspace whose webhook subscribes to failures. */
async function listening(name: string): Promise<TestWorkspace> {
  const workspace = await world.workspace(name)
  const body = { url: 'http://127.0.0.1:9/hook', events: ['email.failed'] }
  assertAnswered(
    await ask(world.baseUrl, 'POST /api/v1/webhooks', { key: workspace.key, body }),
    201,
  )
  return workspace
}

async function failures(
  workspace: TestWorkspace,
): Promise<{ email_id: string; recipient: string; error: string }[]> {
  const rows = await world.service.db.rows<{ body: string }>(sql`
    select body from event where workspace_id = ${workspace.id} and type = 'email.failed' order by place`)
  return rows.map(
    ({ body }) =>
      (JSON.parse(body) as { data: { email_id: string; recipient: string; error: string } }).data,
  )
}

/** A message of which nothing has been tried: scheduled, and its time has come. */
async function waiting(workspace: TestWorkspace, body: object = {}): Promise<string> {
  const scheduled = new Date((await nowMs()) + 3_600_000).toISOString()
  const id = await handedOver(world, workspace, { scheduled_at: scheduled, ...body })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  return id
}

/** A worker claims what is due and is killed; its lease ends, and another worker looks. */
async function killWorker(workspace: TestWorkspace): Promise<void> {
  assert.equal((await claim(world, workspace)).length, 1)
  await pass(91)
  await turn(world, workspace)
}

const doubtOf = async (
  workspace: TestWorkspace,
  id: string,
): Promise<{ since: string; decided_by: string } | null> =>
  at(await read(world, workspace, id), 'in_doubt') as { since: string; decided_by: string } | null

test('in doubt: the read and the lists say since when and by when it is decided; status stays queued; null before and after', async () => {
  const workspace = await world.workspace('shown')
  world.answer((moment) => (moment.phase === 'dot' ? 'drop' : undefined))
  const id = await handedOver(world, workspace)
  world.answer(undefined)
  const email = await read(world, workspace, id)
  const doubt = at(email, 'in_doubt') as { since: string; decided_by: string }
  assert.ok(Math.abs(Date.parse(doubt.since) - (await nowMs())) < 30_000, `since ${doubt.since}`)
  const lifeEndsMs =
    Date.parse(String(at(email, 'created_at'))) + world.service.settings.queueLifeSeconds * 1000
  assert.equal(Date.parse(doubt.decided_by), lifeEndsMs)
  assert.deepEqual([at(email, 'status'), at(email, 'last_event')], ['queued', 'queued'])
  const list = await ask(world.baseUrl, 'GET /api/v1/emails', { key: workspace.key })
  assert.deepEqual(at(list.body, 'data', '0', 'in_doubt'), doubt)
  await pass(61)
  await turn(world, workspace)
  assert.equal(at(await read(world, workspace, id), 'status'), 'sent')
  assert.equal(await doubtOf(workspace, id), null)
})

test('a worker lost twice: held for the longest pause between two tries, then failed with email.failed, long before the queue’s life ends', async () => {
  const workspace = await listening('lost twice')
  const id = await waiting(workspace)
  assert.equal(await doubtOf(workspace, id), null)
  await killWorker(workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    state: 'pending',
    doubts: 1,
  })
  const first = await doubtOf(workspace, id)
  await pass(61)
  // While the repeat is handed over, it is in doubt all the same.
  assert.equal((await claim(world, workspace)).length, 1)
  assert.deepEqual(await doubtOf(workspace, id), first)
  await pass(91)
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    state: 'in_doubt',
    status: 'queued',
    doubts: 2,
  })
  const doubt = await doubtOf(workspace, id)
  assert.ok(doubt)
  const { retryMaxSeconds } = world.service.settings
  assert.ok(
    Math.abs(Date.parse(doubt.decided_by) - Date.parse(doubt.since) - retryMaxSeconds * 1000) <
      1_000,
  )
  assert.deepEqual(await failures(workspace), [])
  await pass(retryMaxSeconds - 60)
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, id)).state, 'in_doubt')
  await pass(61)
  await turn(world, workspace)
  const email = await read(world, workspace, id)
  assert.deepEqual([at(email, 'status'), at(email, 'in_doubt')], ['failed', null])
  const error = String(at(email, 'error'))
  assert.match(error, /^in doubt/)
  assert.deepEqual(
    (await failures(workspace)).map((item) => [item.email_id, item.recipient, item.error]),
    [[id, 'someone@example.com', error]],
  )
})

test('the wait for feedback never outlasts the queue’s life', async () => {
  const workspace = await listening('old')
  const id = await waiting(workspace)
  await world.run(
    `update message set scheduled_at = null, created_at = facteur_now() - interval '47 hours' where id = '${id}'`,
  )
  await world.run(`update recipient set doubts = 1 where message_id = '${id}'`)
  await killWorker(workspace)
  const { nextIn, state } = await ledgerRow(world, workspace, id)
  assert.equal(state, 'in_doubt')
  assert.ok(nextIn > 3_000 && nextIn < 3_600, `decided in ${nextIn} s`)
})

test('email.failed: a message parked since it ended its worker three times', async () => {
  const workspace = await listening('parked')
  const id = await waiting(workspace)
  await world.run(`update recipient set troubles = 2 where message_id = '${id}'`)
  await killWorker(workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'failed',
    state: 'settled',
  })
  const [failure, ...others] = await failures(workspace)
  assert.deepEqual([failure?.email_id, others.length], [id, 0])
  assert.match(failure?.error ?? '', /^parked/)
})

test('email.failed: a message parked since our own code threw three times, and one whose retries are spent', async () => {
  const workspace = await listening('threw')
  const poison = await waiting(workspace, { to: 'poison@example.com' })
  await world.run(`update recipient set troubles = 2 where message_id = '${poison}'`)
  await world.run(`delete from message_body where message_id = '${poison}'`)
  await turn(world, workspace)
  world.answer((moment) => (moment.phase === 'rcpt' ? '451 4.3.0 try later' : undefined))
  const spent = await waiting(workspace, { to: 'spent@example.com' })
  await world.run(
    `update message set scheduled_at = null, created_at = facteur_now() - interval '48 hours' where id = '${spent}'`,
  )
  await turn(world, workspace)
  world.answer(undefined)
  const failure = await failures(workspace)
  assert.equal(
    failure.find(({ email_id: id }) => id === spent)?.error,
    'gave up after the last temporary refusal: 451 4.3.0 try later',
  )
  assert.match(failure.find(({ email_id: id }) => id === poison)?.error ?? '', /^parked: /)
})

test('email.failed: suppressed while it waited, by the act that suppressed it or by the claim that finds it so', async () => {
  const workspace = await listening('closed')
  const byAct = await waiting(workspace, { to: 'act@example.com' })
  const body = { email: 'act@example.com' }
  assertAnswered(
    await ask(world.baseUrl, 'POST /api/v1/suppression', { key: workspace.key, body }),
    201,
  )
  assert.deepEqual(
    (await failures(workspace)).map((item) => [item.email_id, item.error]),
    [[byAct, 'suppressed: manual']],
  )
  const byClaim = await waiting(workspace, { to: 'claim@example.com' })
  // A process writes this when it stops before it completes the waiting rows.
  await world.run(
    `insert into suppression (workspace_id, email, id, reason, created_at)
     values (${workspace.id}, 'claim@example.com', gen_random_uuid(), 'manual', facteur_now())`,
  )
  await turn(world, workspace)
  assert.deepEqual(
    (await failures(workspace)).map((item) => [item.email_id, item.error]),
    [
      [byAct, 'suppressed: manual'],
      [byClaim, 'suppressed: manual'],
    ],
  )
})

test('the event is of the transaction: where it cannot be written, the row is not given up', async () => {
  const workspace = await listening('together')
  const id = await waiting(workspace)
  await world.run(`update recipient set troubles = 2 where message_id = '${id}'`)
  assert.equal((await claim(world, workspace)).length, 1)
  await pass(91)
  await world.run('alter table event rename to event_away')
  await assert.rejects(turn(world, workspace))
  await world.run('alter table event_away rename to event')
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'queued',
    state: 'leased',
  })
  await turn(world, workspace)
  assert.equal((await failures(workspace)).length, 1)
})

test('email.failed: a recipient of a campaign parked since it ended its worker three times', async () => {
  const workspace = await listening('campaign')
  await addSubscribers(world, workspace, 2, 'parked.example')
  const campaignId = await draftOf(world, workspace)
  assertAnswered(await send(world, workspace, campaignId), 202)
  const key = { workspaceId: workspace.id, campaignId }
  const { claimed } = await recordAndClaim(world.service.db, key, {
    sent: [],
    max: 2,
    leaseSeconds: 90,
  })
  const [parked] = claimed
  await world.run(
    `update campaign_recipient set troubles = 2 where subscriber_id = '${parked?.subscriberId}'`,
  )
  await pass(91)
  await maintainCampaign(world.service, {
    key,
    isCanceled: false,
    lost: new ScanMark(world.service.clock),
  })
  const state = await campaignRow(world, workspace, campaignId)
  assert.deepEqual([state.failed, state.inDoubt, state.status], [1, 1, 'sent'])
  assert.deepEqual(
    (await failures(workspace)).map((item) => [item.recipient, item.error]),
    [[parked?.email, 'parked: its hand-off ended its worker three times']],
  )
})

const places = { take: (expected: number) => Promise.resolve(expected), release: () => undefined }

/** One process's part in a campaign, to its end. */
async function walkToEnd(key: CampaignKey): Promise<void> {
  const sender = await openBatchSender(world.service, { campaign: key, slots: places })
  sender?.setShare(10)
  await sender?.ended
}

/** Everybody's hand-off had no answer. */
async function doubtAll({ campaignId }: CampaignKey, count: number): Promise<void> {
  await world.run(
    `update campaign_recipient set state = 'in_doubt', status = 'queued', sent_at = null where campaign_id = '${campaignId}'`,
  )
  await world.run(
    `update campaign_run set sent = sent - ${count}, in_doubt = ${count} where campaign_id = '${campaignId}'`,
  )
}

test('a campaign’s mail that is released has the same bytes as before, its Date included', async () => {
  const workspace = await listening('released')
  await addSubscribers(world, workspace, 3, 'bytes.example')
  const campaignId = await draftOf(world, workspace)
  assertAnswered(await send(world, workspace, campaignId), 202)
  const key = { workspaceId: workspace.id, campaignId }
  const beganMs = await nowMs()
  await walkToEnd(key)
  await doubtAll(key, 3)
  await pass(7_200)
  assert.equal(
    (
      await callVerb(world.service, workspace.id, 'releaseInDoubtRecipients', {
        params: { id: campaignId },
      })
    ).reopened,
    3,
  )
  await walkToEnd(key)
  const copies = Map.groupBy(
    world.peer.mails.filter(({ to }) => to[0]?.endsWith('@bytes.example')),
    ({ to }) => to[0],
  )
  assert.equal(copies.size, 3)
  for (const [first, second, ...others] of copies.values()) {
    assert.ok(first && second && others.length === 0)
    assert.equal(second.bytes.toString('latin1'), first.bytes.toString('latin1'))
    assert.equal(second.from, first.from)
    const date = /^Date: (.*)\r$/m.exec(first.bytes.toString('latin1'))?.[1] ?? ''
    assert.ok(
      Math.abs(Date.parse(date) - beganMs) < 60_000,
      `Date: ${date}, by the database's clock`,
    )
  }
})

test('a campaign that ended with recipients in doubt says so, with what release would do: on the read, the list and in the webhook', async () => {
  const workspace = await world.workspace('ended in doubt')
  const body = { url: 'http://127.0.0.1:9/hook', events: ['campaign.sent'] }
  assertAnswered(
    await ask(world.baseUrl, 'POST /api/v1/webhooks', { key: workspace.key, body }),
    201,
  )
  await addSubscribers(world, workspace, 3, 'ended.example')
  const campaignId = await draftOf(world, workspace)
  assertAnswered(await send(world, workspace, campaignId), 202)
  const line = `GET /api/v1/campaigns/${campaignId}`
  assert.equal(at((await ask(world.baseUrl, line, { key: workspace.key })).body, 'in_doubt'), null)
  const key = { workspaceId: workspace.id, campaignId }
  await recordAndClaim(world.service.db, key, { sent: [], max: 3, leaseSeconds: 90 })
  await pass(91)
  await maintainCampaign(world.service, {
    key,
    isCanceled: false,
    lost: new ScanMark(world.service.clock),
  })
  const campaign = (await ask(world.baseUrl, line, { key: workspace.key })).body
  assert.deepEqual([at(campaign, 'status'), at(campaign, 'progress', 'in_doubt')], ['sent', 3])
  const doubt = at(campaign, 'in_doubt')
  assert.equal(at(doubt, 'recipients'), 3)
  assert.match(String(at(doubt, 'note')), /3 destinataires sont en doute.* libérez/)
  const english = { key: workspace.key, headers: { 'accept-language': 'en' } }
  assert.match(
    String(at((await ask(world.baseUrl, line, english)).body, 'in_doubt', 'note')),
    /3 recipients are in doubt/,
  )
  const list = await ask(world.baseUrl, 'GET /api/v1/campaigns', { key: workspace.key })
  assert.deepEqual(at(list.body, 'data', '0', 'in_doubt'), doubt)
  const [event] = await world.service.db.rows<{ body: string }>(sql`
    select body from event where workspace_id = ${workspace.id} and type = 'campaign.sent'`)
  assert.deepEqual(
    (JSON.parse(event?.body ?? '{}') as { data: { in_doubt: unknown } }).data.in_doubt,
    doubt,
  )
})
