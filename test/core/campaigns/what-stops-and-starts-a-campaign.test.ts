/**
 * The causes that stop a running campaign: users, its own rates, its canaries, its workspace's
 * reputation; and those that start one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign, type FreezeOptions } from '../../../src/core/campaigns/freeze-campaign.ts'
import { campaignRun } from '../../../src/db/campaigns/campaign-work.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import type { TestWorkspace } from '../../support/api.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  noticesTo,
  recipientsOf,
  untilCampaign,
  untilSent,
} from '../../support/campaign-world.ts'
import { isInSegment, type PlainContact } from '../../support/segments/plain-evaluator.ts'
import { segmentWorld } from '../../support/segments/world-of.ts'
import { answerDots, startRelayWorld, untilNothingLeased } from '../../support/relay-world.ts'

const warnings: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, message: string) => void warnings.push(message),
  error: (fields: object, message: string) => console.error(message, fields),
}
const world = await startRelayWorld({ workers: true, log })
const { service } = world

async function start(
  shop: TestWorkspace,
  contacts: number,
  options: Partial<FreezeOptions> = {},
): Promise<string> {
  await addSubscribers(world, shop, contacts, shop.domain)
  const id = await draftOf(world, shop)
  await freezeCampaign(service, {
    workspaceId: shop.id,
    id,
    from: 'draft',
    undoSeconds: 0,
    canary: null,
    ...options,
  })
  return id
}

const used = async ({ id }: TestWorkspace): Promise<number> => {
  const [row] = await service.db.rows<{ used: number }>(
    sql`select coalesce(sum(used), 0)::int8 as used from quota_usage where workspace_id = ${id}`,
  )
  return row?.used ?? 0
}

test('paused: no recipient is claimed; resumed: it goes on where it stopped', async () => {
  const shop = await world.workspace('pausing')
  const { goOn } = answerDots(world, 100)
  const id = await start(shop, 300)
  await untilCampaign(world, shop, id, ({ sent }) => sent > 20)
  const paused = await callVerb(service, shop.id, 'pauseCampaign', { params: { id } })
  goOn()
  assert.deepEqual([paused.campaign.status, paused.pauseReason], ['sending', 'person'])
  await untilNothingLeased(service)
  const withheld = await campaignRow(world, shop, id)
  assert.ok(withheld.pending > 0)
  await assert.rejects(callVerb(service, shop.id, 'pauseCampaign', { params: { id } }), {
    code: 'conflict',
  })
  const rows = await recipientsOf(world, shop, id)
  assert.equal(rows.filter(({ state }) => state === 'leased').length, 0)
  assert.equal((await campaignRow(world, shop, id)).sent, withheld.sent)
  world.answer(undefined)
  await callVerb(service, shop.id, 'resumeCampaign', { params: { id } })
  assert.equal((await untilSent(world, shop, id)).sent, 300)
  await assert.rejects(callVerb(service, shop.id, 'resumeCampaign', { params: { id } }), {
    code: 'conflict',
  })
})

test('cancelled: the rest is failed with the reason, the quota has it back, and it is not tried again', async () => {
  const shop = await world.workspace('cancelling')
  const { goOn } = answerDots(world, 100)
  const id = await start(shop, 300)
  await untilCampaign(world, shop, id, ({ sent }) => sent > 20)
  await callVerb(service, shop.id, 'cancelCampaign', { params: { id } })
  goOn()
  const state = await untilSent(world, shop, id)
  world.answer(undefined)
  assert.equal(state.sent + state.failed, 300)
  const rows = await recipientsOf(world, shop, id)
  assert.equal(rows.filter(({ error }) => error === 'cancelled').length, state.failed)
  assert.equal(await used(shop), state.sent)
  assert.equal(
    (await callVerb(service, shop.id, 'retryFailedRecipients', { params: { id } })).reopened,
    0,
  )
  await assert.rejects(callVerb(service, shop.id, 'cancelCampaign', { params: { id } }), {
    code: 'conflict',
  })
})

test('undone within its window: a draft again as if nothing had been; later it is too late', async () => {
  const shop = await world.workspace('undoing')
  const id = await start(shop, 50, { undoSeconds: 30 })
  const before = world.peer.mails.length
  assert.equal((await campaignRow(world, shop, id)).pending, 50)
  assert.equal(
    (await callVerb(service, shop.id, 'undoCampaignSend', { params: { id } })).campaign.status,
    'draft',
  )
  assert.deepEqual(await recipientsOf(world, shop, id), [])
  assert.equal(await used(shop), 0)
  assert.equal(world.peer.mails.length, before)
  await freezeCampaign(service, {
    workspaceId: shop.id,
    id,
    from: 'draft',
    undoSeconds: 0,
    canary: null,
  })
  await untilSent(world, shop, id)
  await assert.rejects(callVerb(service, shop.id, 'undoCampaignSend', { params: { id } }), {
    code: 'conflict',
  })
})

test('the first mail leaves when the undo window is over', async () => {
  const shop = await world.workspace('waiting')
  const stopAt = await world.stopTime()
  const id = await start(shop, 5, { undoSeconds: 30 })
  await stopAt(29)
  assert.equal((await campaignRow(world, shop, id)).sent, 0)
  await stopAt(31)
  assert.equal((await untilSent(world, shop, id)).sent, 5)
  await world.moveClock('0 seconds')
})

test('bounces above 5 % pause a running campaign; a user resumes it, and its rate is measured from there', async () => {
  const shop = await world.workspace('bouncing')
  let count = 0
  const { goOn } = answerDots(world, 1200, ({ phase }) =>
    phase === 'rcpt' && ++count % 10 === 0 ? '550 5.1.1 no such user' : undefined,
  )
  const id = await start(shop, 1500)
  const stopped = await untilCampaign(world, shop, id, ({ paused }) => paused !== null)
  goOn()
  assert.ok(['bounce_rate', 'reputation'].includes(stopped.paused ?? ''), String(stopped.paused))
  assert.ok(stopped.pending > 0, 'it stopped on its way')
  world.answer(undefined)
  await assert.rejects(callVerb(service, shop.id, 'resumeCampaign', { params: { id } }), {
    code: 'reputation_blocked',
  })
  await service.db.count(
    sql`update workspace set reputation_epoch = reputation_epoch + 1 where id = ${shop.id}`,
  )
  await callVerb(service, shop.id, 'resumeCampaign', { params: { id } })
  const state = await untilSent(world, shop, id)
  assert.equal(state.sent + state.failed, 1500)
})

test('a running campaign stops strictly above the limits, once the minimum counts are reached', async () => {
  const shop = await world.workspace('checked')
  const id = await start(shop, 3, { undoSeconds: 3600, canary: { size: 10, seconds: 60 } })
  const key = { workspaceId: shop.id, campaignId: id }
  // Rolled back, so that no worker pauses it meanwhile.
  const exceeds = async (
    handOffs: number,
    counts: { bounced?: number; complained?: number; proven_complaint?: number },
    canaryJudgedAt: string | null = null,
  ) => {
    let result: unknown
    const work = service.db.transaction(async (tx) => {
      await tx.count(sql`
        update campaign_run set handed_over = ${handOffs}, canary_left = 0, canary_checked_at = coalesce(${canaryJudgedAt}::timestamptz, 'infinity')
        where workspace_id = ${shop.id} and campaign_id = ${id}`)
      for (const [measure, count] of Object.entries(counts))
        await tx.count(sql`
          insert into campaign_tally (workspace_id, campaign_id, measure, label, count) values (${shop.id}, ${id}, ${measure}, '', ${count})`)
      result = (await campaignRun(tx, key))?.exceeds
      throw new Error('rolled back')
    })
    await assert.rejects(work, /rolled back/)
    return result
  }
  assert.equal(await exceeds(1000, { bounced: 50 }), null)
  assert.equal(await exceeds(1000, { bounced: 51 }), 'bounce_rate')
  assert.equal(await exceeds(1000, { proven_complaint: 1 }), null)
  assert.equal(await exceeds(1000, { proven_complaint: 2 }), 'complaint_rate')
  assert.equal(
    await exceeds(1000, { complained: 90 }),
    null,
    'anybody can write a report about their own mail',
  )
  assert.equal(await exceeds(99, { bounced: 90 }), null)
  const longAgo = '2000-01-01T00:00:00Z'
  assert.equal(await exceeds(10, { bounced: 1 }, longAgo), 'bounce_rate')
  assert.equal(await exceeds(10, {}, longAgo), null)
})

test('a canary: the first recipients get it, the others only when its rates stayed low', async () => {
  const shop = await world.workspace('canary')
  world.answer(undefined)
  const stopAt = await world.stopTime()
  const id = await start(shop, 100, { canary: { size: 10, seconds: 60 } })
  await untilCampaign(world, shop, id, ({ sent }) => sent === 10)
  await stopAt(59)
  assert.equal((await campaignRow(world, shop, id)).sent, 10)
  await world.moveClock('70 seconds')
  assert.equal((await untilSent(world, shop, id)).sent, 100)
  await world.moveClock('0 seconds')
})

test('a canary of an audience is the first of its frozen list; the rest follow, and nobody beside it', async () => {
  const shop = await world.workspace('aimed')
  world.answer(undefined)
  const { contacts } = await segmentWorld(world.database.url, {
    ...{ seed: 5, size: 200, workspaceId: shop.id },
  })
  const customers = { any: [{ tag: 'vip' }, { source: 'form' }, { language: 'fr' }] }
  const members = { all: [{ tag: 'news' }, { none: [{ language: 'en' }] }] }
  const [to, left] = [service.makeId(), service.makeId()]
  // The campaigns of the past of these contacts are over.
  await world.run(`
    update campaign set status = 'sent' where workspace_id = ${shop.id};
    insert into segment (workspace_id, id, name, definition, created_at, updated_at)
    values (${shop.id}, '${to}', 'Customers', '${JSON.stringify(customers)}', facteur_now(), facteur_now()),
      (${shop.id}, '${left}', 'Members', '${JSON.stringify(members)}', facteur_now(), facteur_now())`)
  const id = await draftOf(world, shop)
  await callVerb(service, shop.id, 'setCampaignAudience', {
    ...{
      params: { id },
      body: { to: { segment: to }, except: [{ segment: left }, { tag: 'élan' }] },
    },
  })
  const stopAt = await world.stopTime()
  await freezeCampaign(service, {
    ...{ workspaceId: shop.id, id, from: 'draft', undoSeconds: 0 },
    canary: { size: 10, seconds: 60 },
  })
  const isIn = (contact: PlainContact, definition: object): boolean =>
    isInSegment(contact, definition, { timeZone: 'UTC', at: new Date() })
  const expected = contacts
    .filter(({ status }) => status === 'subscribed')
    .filter((contact) => isIn(contact, customers))
    .filter((contact) => !isIn(contact, members) && !isIn(contact, { tag: 'élan' }))
    .map((contact) => `reader-${contact.id}@example.test`)
    .toSorted()
  assert.ok(expected.length > 20 && expected.length < 100, String(expected.length))
  const reached = async (): Promise<string[]> =>
    (await recipientsOf(world, shop, id)).flatMap(({ state, email }) =>
      state === 'settled' ? [email] : [],
    )
  await untilCampaign(world, shop, id, ({ sent }) => sent === 10)
  await stopAt(59)
  assert.deepEqual(await reached(), expected.slice(0, 10))
  await world.moveClock('70 seconds')
  assert.equal((await untilSent(world, shop, id)).sent, expected.length)
  assert.deepEqual(await reached(), expected)
  await world.moveClock('0 seconds')
})

test('a canary that bounces stops the campaign; no other recipient gets it until a user resumes it', async () => {
  const shop = await world.workspace('sick')
  world.answer(({ phase, line }) =>
    phase === 'rcpt' && line.includes('person1@') ? '550 5.1.1 no such user' : undefined,
  )
  const id = await start(shop, 40, { canary: { size: 10, seconds: 0 } })
  const stopped = await untilCampaign(world, shop, id, ({ paused }) => paused !== null)
  assert.deepEqual(
    [stopped.paused, stopped.sent, stopped.failed, stopped.pending],
    ['canary', 9, 1, 30],
  )
  const notices = await noticesTo(world, shop)
  assert.deepEqual(
    notices.map(({ subject }) => subject),
    ['sick\u00a0: la campagne «\u00a0News\u00a0» est en pause'],
  )
  assert.match(notices[0]?.text ?? '', /Trop de ses premiers destinataires ont rebondi/)
  await callVerb(service, shop.id, 'resumeCampaign', { params: { id } })
  assert.equal((await untilSent(world, shop, id)).sent, 39)
})

test('a workspace that is suspended meanwhile has its campaigns paused', async () => {
  const shop = await world.workspace('suspended')
  const { goOn } = answerDots(world, 100)
  const id = await start(shop, 300)
  await untilCampaign(world, shop, id, ({ sent }) => sent > 0)
  await shop.setReputation({ handOffs: 1000, bounces: 500, complaints: 0 })
  assert.equal(
    (await untilCampaign(world, shop, id, ({ paused }) => paused !== null)).paused,
    'reputation',
  )
  goOn()
  assert.deepEqual(
    (await noticesTo(world, shop)).filter(({ subject }) => subject.includes('campagne')),
    [],
    'the suspension has a notice of its own',
  )
  world.answer(undefined)
  await callVerb(service, shop.id, 'cancelCampaign', { params: { id } })
  await untilSent(world, shop, id)
})

test('scheduled: frozen and handed over when its time has come', async () => {
  const shop = await world.workspace('later')
  await addSubscribers(world, shop, 5, shop.domain)
  const id = await draftOf(world, shop)
  await callVerb(service, shop.id, 'scheduleCampaign', {
    params: { id },
    body: { scheduledAt: new Date(Date.now() + 600_000).toISOString() },
  })
  // Who comes until then is on the list.
  await world.run(`insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    values (${shop.id}, gen_random_uuid(), 'late@${shop.domain}', 'subscribed', facteur_now(), facteur_now())`)
  await world.moveClock('11 minutes')
  assert.equal((await untilSent(world, shop, id)).sent, 6)
  await world.moveClock('0 seconds')
})

test('more than an hour overdue, or refused: it is a draft again and says why', async () => {
  const shop = await world.workspace('overdue')
  await addSubscribers(world, shop, 1, shop.domain)
  const id = await draftOf(world, shop)
  await callVerb(service, shop.id, 'scheduleCampaign', {
    params: { id },
    body: { scheduledAt: new Date(Date.now() + 600_000).toISOString() },
  })
  await world.moveClock('71 minutes')
  const late = await untilCampaign(world, shop, id, ({ status }) => status === 'draft')
  assert.equal(late.notice, 'overdue')
  await world.run(`update subscriber set status = 'unsubscribed' where workspace_id = ${shop.id}`)
  await callVerb(service, shop.id, 'scheduleCampaign', {
    params: { id },
    body: { scheduledAt: new Date(Date.now() + 80 * 60_000).toISOString() },
  })
  await world.moveClock('81 minutes')
  const refused = await untilCampaign(world, shop, id, ({ status }) => status === 'draft')
  assert.equal(refused.notice, 'no_recipients')
  await world.moveClock('0 seconds')
})

test('twelve campaigns at once, of six workspaces: each has its turn and all end', async () => {
  world.answer(undefined)
  const shops = await Promise.all(Array.from({ length: 6 }, (_, n) => world.workspace(`many${n}`)))
  const ids = await Promise.all(
    shops.map(async (shop) => {
      const first = await start(shop, 60)
      const second = await draftOf(world, shop)
      await freezeCampaign(service, {
        workspaceId: shop.id,
        id: second,
        from: 'draft',
        undoSeconds: 0,
        canary: null,
      })
      return [shop, first, second] as const
    }),
  )
  for (const [shop, first, second] of ids) {
    assert.equal((await untilSent(world, shop, first)).sent, 60)
    assert.equal((await untilSent(world, shop, second)).sent, 60)
  }
})
