/**
 * Handing a campaign over through a relay: every answer ends in a row with its reason, and the
 * counters add up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachRecipient } from '../../../src/core/campaigns/each-recipient.ts'
import { openBatchSender } from '../../../src/core/campaigns/open-batch-sender.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
  untilCampaign,
  untilSent,
} from '../../support/campaign-world.ts'
import { at } from '../../support/json.ts'
import { startRelayWorld } from '../../support/relay-world.ts'

/** The tests expect these failures. */
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const settings = { retryFirstSeconds: 0.1, retryMaxSeconds: 0.2 }
const world = await startRelayWorld({ workers: true, settings })
/** Nothing leaves by itself: the test claims and records. */
const still = await startRelayWorld({ log: silent })

test('every way that a hand-off can end', async () => {
  const shop = await world.workspace('ways')
  await addSubscribers(world, shop, 40)
  const deferred = new Set<string>()
  world.answer(({ phase, line }) => {
    if (phase === 'rcpt' && line.includes('person1@')) return '550 5.1.1 no such user'
    if (phase === 'rcpt' && line.includes('person2@')) return '550 5.7.1 not wanted'
    if (phase === 'rcpt' && line.includes('person3@') && !deferred.has(line)) {
      deferred.add(line)
      return '451 4.2.0 later'
    }
    if (phase === 'dot' && line.includes('person4@')) return 'drop'
    return undefined
  })
  const reachable = async () =>
    at((await ask(world.baseUrl, 'GET /api/v1/me', { key: shop.key })).body, 'subscribers')
  assert.equal(await reachable(), 40)
  const id = await draftOf(world, shop)
  assert.equal((await send(world, shop, id)).status, 202)
  const state = await untilSent(world, shop, id)
  world.answer(undefined)
  assert.equal(await reachable(), 39, 'the audience counts who bounced no more')
  assert.deepEqual(
    { ...state, paused: null, notice: null },
    {
      ...{
        status: 'sent',
        paused: null,
        notice: null,
        recipients: 40,
        pending: 0,
        sent: 37,
        failed: 2,
        suppressed: 0,
        inDoubt: 1,
      },
    },
  )
  const rows = new Map((await recipientsOf(world, shop, id)).map((row) => [row.email, row]))
  const of = (n: number) => rows.get(`person${n}@example.com`)
  assert.deepEqual([of(1)?.status, of(1)?.error], ['bounced', '550 5.1.1 no such user'])
  assert.deepEqual([of(2)?.status, of(2)?.error], ['failed', '550 5.7.1 not wanted'])
  assert.deepEqual([of(3)?.status, of(3)?.attempts], ['sent', 2])
  assert.deepEqual([of(4)?.state, of(4)?.status], ['in_doubt', 'queued'])
  // An address that does not exist is suppressed; a refusal for another reason suppresses none.
  const closed = await world.service.db.rows<{ email: string; status: string }>(sql`
    select s.email, s.status from subscriber s join suppression x on x.workspace_id = s.workspace_id and x.email = s.email
    where s.workspace_id = ${shop.id}`)
  assert.deepEqual(closed, [{ email: 'person1@example.com', status: 'bounced' }])
  const [counted] = await world.service.db.rows<{
    bounced: number
    handOffs: number
    bounces: number
  }>(sql`
    select (select count from campaign_tally where workspace_id = ${shop.id} and campaign_id = ${id} and measure = 'bounced') as bounced,
      sum(hand_offs)::int8 as hand_offs, sum(bounces)::int8 as bounces from reputation_day where workspace_id = ${shop.id}`)
  assert.deepEqual(counted, { bounced: 1, handOffs: 38, bounces: 1 })
  // Two were not sent: the quota has them back.
  const [quota] = await world.service.db.rows<{ used: number }>(
    sql`select sum(used)::int8 as used from quota_usage where workspace_id = ${shop.id}`,
  )
  assert.equal(quota?.used, 38)
  const mails = world.peer.mails.filter(({ to }) => to[0]?.startsWith('person'))
  assert.equal(new Set(mails.map(({ to }) => to[0])).size, mails.length, 'nobody had it twice')
})

test('failed recipients are tried again, and those in doubt released, only on request; the campaign then ends as sent', async () => {
  const shop = await world.workspace('again')
  await addSubscribers(world, shop, 6)
  let refuses = true
  world.answer(({ phase, line }) => {
    if (!refuses) return undefined
    if (phase === 'rcpt' && /person[12]@/.test(line)) return '554 5.7.1 not now'
    return phase === 'dot' && line.includes('person3@') ? 'drop' : undefined
  })
  const id = await draftOf(world, shop)
  await send(world, shop, id)
  assert.deepEqual(pick(await untilSent(world, shop, id)), { sent: 3, failed: 2, inDoubt: 1 })
  refuses = false
  const [doubted] = (
    await Array.fromAsync(
      eachRecipient(world.service, { workspaceId: shop.id, id, filter: 'in_doubt' }),
    )
  ).flat()
  assert.match(doubted?.reason ?? '', /./, 'doubt has its reason')
  const retried = await callVerb(world.service, shop.id, 'retryFailedRecipients', {
    params: { id },
  })
  assert.deepEqual([retried.reopened, retried.run.campaign.status], [2, 'sending'])
  assert.deepEqual(pick(await untilSent(world, shop, id)), { sent: 5, failed: 0, inDoubt: 1 })
  assert.equal(
    (await callVerb(world.service, shop.id, 'releaseInDoubtRecipients', { params: { id } }))
      .reopened,
    1,
  )
  assert.deepEqual(pick(await untilSent(world, shop, id)), { sent: 6, failed: 0, inDoubt: 0 })
  const [quota] = await world.service.db.rows<{ used: number }>(
    sql`select sum(used)::int8 as used from quota_usage where workspace_id = ${shop.id}`,
  )
  assert.equal(quota?.used, 6)
})

const pick = ({ sent, failed, inDoubt }: Awaited<ReturnType<typeof campaignRow>>) => ({
  sent,
  failed,
  inDoubt,
})

test('a recipient whose copy cannot be made is parked at the third time, and blocks no other', async () => {
  const shop = await still.workspace('parked')
  const id = await frozen(shop, 3, 'parked.example')
  const campaign = { workspaceId: shop.id, campaignId: id }
  const service = { ...still.service, sending: { ...still.service.sending } }
  const slots = { take: (expected: number) => Promise.resolve(expected), release: () => undefined }
  for (let time = 1; time <= 3; time++) {
    service.sending.openBatchSender = (options) =>
      still.service.sending.openBatchSender({
        ...options,
        fill: (row) => {
          if (row.email === 'person2@parked.example') throw new Error('no such mail')
          return options.fill(row)
        },
      })
    const sender = await openBatchSender(service, { campaign, slots })
    sender?.setShare(5)
    await sender?.ended
    await still.run(
      `update campaign_recipient set next_at = facteur_now() where next_at is not null`,
    )
  }
  const rows = await recipientsOf(still, shop, id)
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['sent', 'failed', 'sent'],
  )
  assert.equal(rows[1]?.error, 'parked: no such mail')
})

test('transactional mail leaves while a campaign has all slots of campaigns', async () => {
  const shop = await world.workspace('busy')
  await addSubscribers(world, shop, 600)
  let holds = true
  world.answer(({ phase, line }) => {
    if (phase === 'dot' && line.startsWith('person') && holds)
      return { say: '250 ok', afterMs: 300 }
    return undefined
  })
  const id = await draftOf(world, shop)
  await send(world, shop, id)
  await untilCampaign(world, shop, id, ({ sent }) => sent > 0)
  const body = { from: `hello@${shop.domain}`, to: 'urgent@example.com', subject: 'x', text: 'x' }
  const answer = await ask(world.baseUrl, 'POST /api/v1/emails', { key: shop.key, body })
  assert.equal(answer.status, 202)
  await world.peer.until(() => world.peer.mails.some(({ to }) => to[0] === 'urgent@example.com'))
  const before = await campaignRow(world, shop, id)
  assert.ok(before.pending > 0, 'the campaign still had most of its list to go')
  holds = false
  await untilSent(world, shop, id)
})

async function frozen(shop: TestWorkspace, contacts: number, domain?: string): Promise<string> {
  await addSubscribers(still, shop, contacts, domain)
  const id = await draftOf(still, shop)
  assert.equal((await send(still, shop, id)).status, 202)
  return id
}
