/**
 * A campaign with an audience: the frozen list and the counts are those of a plain evaluator, keys
 * refuse it, and status and suppression always win.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../../src/contract/operations.ts'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { countTargeted } from '../../../src/core/campaigns/audience/count-targeted.ts'
import { freezeMembers } from '../../../src/core/audience/segments/freeze-members.ts'
import type { CampaignKey } from '../../../src/db/campaigns/campaign-key.ts'
import { startScheduled } from '../../../src/core/campaigns/start-scheduled.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { readSendApproval } from '../../../src/core/campaigns/approval/send-approval.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertRefused } from '../../support/ask.ts'
import { callVerb } from '../../support/call-verb.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
} from '../../support/campaign-world.ts'
import { untilWaits } from '../../support/database.ts'
import type { Draw } from '../../support/fault-draw.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { at } from '../../support/json.ts'
import { drawDefinition } from '../../support/segments/draw-definition.ts'
import { isInSegment, type PlainContact } from '../../support/segments/plain-evaluator.ts'
import { worldTags } from '../../support/segments/segment-world.ts'
import { until } from '../../support/until.ts'
import { segmentWorld } from '../../support/segments/world-of.ts'

/** Nothing leaves by itself. */
const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const { service } = api
const { db } = service

type Json = Record<string, unknown>

/** As it is chosen, with the definitions of its segments. */
interface Chosen {
  to: unknown
  topic: Topic | null
  except: unknown[]
  definitions: Map<string, Json>
}

interface Topic {
  id: string
  byDefault: boolean
  /** Who chose otherwise than its default. */
  otherwise: Set<string>
}

async function topicOf(
  { id }: TestWorkspace,
  byDefault: boolean,
  contacts: PlainContact[],
): Promise<Topic> {
  const topicId = service.makeId()
  await db.count(sql`
    insert into topic (workspace_id, id, name, by_default, created_at)
    values (${id}, ${topicId}, ${topicId}, ${byDefault}, facteur_now())`)
  // The others of these chose what is its default.
  const chosen = contacts.map((contact, index) => ({ id: contact.id, isOther: index % 3 > 0 }))
  const otherwise = chosen.filter(({ isOther }) => isOther).map((each) => each.id)
  await db.count(sql`
    insert into topic_choice (workspace_id, topic_id, subscriber_id, subscribed, chosen_at)
    select ${id}, ${topicId}, c.id, (c.id = any (${otherwise}::uuid[])) <> ${byDefault}, facteur_now()
    from unnest(${chosen.map((each) => each.id)}::uuid[]) c (id)`)
  return { id: topicId, byDefault, otherwise: new Set(otherwise) }
}

async function segmentOf({ id }: TestWorkspace, definition: unknown, name = ''): Promise<string> {
  const segmentId = service.makeId()
  await db.count(sql`
    insert into segment (workspace_id, id, name, definition, created_at, updated_at)
    values (${id}, ${segmentId}, ${name || segmentId}, ${JSON.stringify(definition)}::jsonb,
      facteur_now(), facteur_now())`)
  return segmentId
}

const choose = (shop: TestWorkspace, id: string, body: object) =>
  callVerb(service, shop.id, 'setCampaignAudience', { params: { id }, body })
const chooseTopic = (shop: TestWorkspace, id: string, topic: string | null) =>
  callVerb(service, shop.id, 'setCampaignTopic', { params: { id }, body: { topic } })
const freeze = (shop: TestWorkspace, id: string, options: object = {}) =>
  freezeCampaign(service, {
    ...{ workspaceId: shop.id, id, from: 'draft', undoSeconds: 0, canary: null },
    ...options,
  })
const reach = (shop: TestWorkspace, id: string): Promise<AnswerOf<'getCampaignReach'>['body']> =>
  callVerb(service, shop.id, 'getCampaignReach', { params: { id } })

async function drawAudience(
  shop: TestWorkspace,
  draw: Draw,
  topics: (Topic | null)[],
): Promise<Chosen> {
  const definitions = new Map<string, Json>()
  const segment = async () => {
    const definition = drawDefinition(draw)
    const id = await segmentOf(shop, definition)
    definitions.set(id, definition)
    return { segment: id }
  }
  const topic = draw.pick(topics)
  const target = draw.pick(['segment', 'segment', 'tags', 'everybody'])
  const to =
    target === 'segment'
      ? await segment()
      : target === 'tags'
        ? { tags: [draw.pick(worldTags), draw.pick(worldTags)] }
        : null
  const except = []
  for (let part = draw.between(to === null && topic === null ? 1 : 0, 3); part > 0; part--)
    except.push(
      await draw.pick([
        segment,
        () => ({ tag: draw.pick(worldTags) }),
        () => ({ received: { within_days: draw.pick([1, 90, 400]) } }),
      ])(),
    )
  return { to, topic, except, definitions }
}

/** A deliberately broken variant, which the comparison must catch. */
const brokenVariants = [
  'exclusions forgotten',
  'waiting forgotten',
  'topic forgotten',
  'suppression skipped',
  'status skipped',
] as const
type Broken = (typeof brokenVariants)[number]

interface Facts {
  suppressed: Set<string>
  /** Those whom a campaign reaches that is being sent. */
  waiting: Set<string>
  now: Date
}

/** Why each contact of the audience is left out, or `reachable`, one after the other. */
function reasonsOf(
  contacts: PlainContact[],
  { to, topic, except, definitions }: Chosen,
  { suppressed, waiting, now, broken }: Facts & { broken?: Broken },
): Map<string, string> {
  const mailsOf = ({ id, mails }: PlainContact): PlainContact['mails'] =>
    waiting.has(id) && broken !== 'waiting forgotten'
      ? [...mails, { campaign: 'another', status: 'queued', sent: now }]
      : mails
  const holds = (contact: PlainContact, chosen: unknown): boolean => {
    const part = chosen as Json
    const definition =
      'tags' in part
        ? { any: (part['tags'] as string[]).map((tag) => ({ tag })) }
        : 'segment' in part
          ? definitions.get(String(part['segment']))
          : part
    const reading = { timeZone: 'UTC', at: now }
    return isInSegment({ ...contact, mails: mailsOf(contact) }, definition, reading)
  }
  const reasons = new Map<string, string>()
  for (const contact of contacts) {
    if (to !== null && !holds(contact, to)) continue
    const index =
      broken === 'exclusions forgotten' ? -1 : except.findIndex((part) => holds(contact, part))
    const missesTopic = topic !== null && topic.otherwise.has(contact.id) === topic.byDefault
    const reason =
      contact.status !== 'subscribed' && broken !== 'status skipped'
        ? contact.status
        : suppressed.has(contact.id) && broken !== 'suppression skipped'
          ? 'suppressed'
          : index >= 0
            ? `except.${index}`
            : missesTopic && broken !== 'topic forgotten'
              ? 'topic'
              : 'reachable'
    reasons.set(contact.id, reason)
  }
  return reasons
}

const reached = (reasons: Map<string, string>): string[] =>
  [...reasons].flatMap(([id, reason]) => (reason === 'reachable' ? [id] : [])).toSorted()

const frozenIds = (shop: TestWorkspace, id: string) =>
  db.column<string>(sql`
    select subscriber_id from campaign_recipient
    where workspace_id = ${shop.id} and campaign_id = ${id} order by subscriber_id`)

const frozenOf = (shop: TestWorkspace, id: string) =>
  db.onlyValue<{ at: string; segments: { version: number; definition: Json }[] }>(
    sql`select frozen_audience from campaign where workspace_id = ${shop.id} and id = ${id}`,
  )

const leftOf = (shop: TestWorkspace, id: string) =>
  db.onlyValue<number>(
    sql`select topic_left from campaign where workspace_id = ${shop.id} and id = ${id}`,
  )

const audienceOf = (
  shop: TestWorkspace,
  id: string,
): Promise<AnswerOf<'getCampaignAudience'>['body']> =>
  callVerb(service, shop.id, 'getCampaignAudience', { params: { id } })

/** Three contacts who are subscribed, the first of them with the tag `vip`. */
async function shopOf(name: string): Promise<TestWorkspace> {
  const shop = await api.workspace(name)
  await addSubscribers(api, shop, 3)
  await api.run(
    `insert into subscriber_tag (workspace_id, name, created_at) values (${shop.id}, 'vip', facteur_now());
     update subscriber set tags = '{vip}' where workspace_id = ${shop.id} and email like 'person1@%'`,
  )
  return shop
}

test('the frozen list and every count are those of a plain evaluator, which finds each broken variant', async () => {
  const shop = await api.workspace('evaluated')
  const world = await segmentWorld(api.database.url, { seed: 11, size: 400, workspaceId: shop.id })
  // The status of these contacts says nothing of it.
  const suppressed = new Set(world.contacts.slice(0, 40).map(({ id }) => id))
  await api.run(`
    insert into suppression (workspace_id, email, id, reason, created_at)
    select ${shop.id}, 'reader-' || id || '@example.test', gen_random_uuid(), 'manual', facteur_now()
    from unnest('{${[...suppressed].join()}}'::uuid[]) t (id)`)
  const topics = [
    ...[null, await topicOf(shop, true, world.contacts.slice(100, 250))],
    await topicOf(shop, false, world.contacts.slice(0, 300)),
  ]
  const caught = new Set<Broken>()
  const waiting = new Set<string>()
  let between = 0
  for (let turn = 0; turn < 40; turn++) {
    const chosen = await drawAudience(shop, world.draw, topics)
    const id = await draftOf(api, shop)
    await choose(shop, id, { to: chosen.to, except: chosen.except })
    await chooseTopic(shop, id, chosen.topic?.id ?? null)
    const counts = await reach(shop, id)
    const queued = await freeze(shop, id).catch(() => 0)
    const frozen = await frozenIds(shop, id)
    const now = queued > 0 ? new Date((await frozenOf(shop, id)).at) : new Date()
    const facts = { suppressed, waiting: new Set(waiting), now }
    const reasons = reasonsOf(world.contacts, chosen, facts)
    const { to, except, topic, definitions } = chosen
    const what = JSON.stringify([to, except, topic?.byDefault, [...definitions.values()]])
    assert.deepEqual(frozen, reached(reasons), what)
    assert.equal(counts.reachable, frozen.length, what)
    const left = counts.notReached.reduce((sum, { count }) => sum + count, 0)
    assert.equal(left, reasons.size - frozen.length, what)
    const countOf = (why: string) => [...reasons.values()].filter((each) => each === why).length
    if (frozen.length > 0 && topic) assert.equal(await leftOf(shop, id), countOf('topic'), what)
    const leftOut = (await audienceOf(shop, id)).except.map((each) => each.left_out)
    const expected = except.map((_, index) => (queued > 0 ? countOf(`except.${index}`) : null))
    assert.deepEqual(leftOut, expected, what)
    if (frozen.length > 0 && frozen.length < 300) between++
    for (const each of brokenVariants) {
      const options = { ...facts, broken: each }
      if (reached(reasonsOf(world.contacts, chosen, options)).length !== frozen.length)
        caught.add(each)
    }
    // Every third is being sent while the next ones are frozen; of the others, nobody waits.
    if (turn % 3 === 0) for (const each of frozen) waiting.add(each)
    else
      await api.run(`update campaign set status = 'sent' where id = '${id}' and status = 'sending'`)
  }
  assert.equal(caught.size, brokenVariants.length, [...caught].join())
  assert.ok(between > 10, String(between))
})

test('the freeze stores the definition and its version, and a later change moves nothing', async () => {
  const shop = await shopOf('versions')
  const segment = await segmentOf(shop, { tag: 'vip' }, 'Customers')
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { segment } })
  await api.run(
    `update segment set definition = '{"none": [{"tag": "vip"}]}', version = 2 where id = '${segment}'`,
  )
  assert.equal(await freeze(shop, id), 2)
  assert.partialDeepStrictEqual(await frozenOf(shop, id), {
    segments: [
      { id: segment, name: 'Customers', version: 2, definition: { none: [{ tag: 'vip' }] } },
    ],
  })
  await api.run(`delete from segment where id = '${segment}'`)
  assert.partialDeepStrictEqual(await audienceOf(shop, id), {
    to: { kind: 'segment', name: 'Customers' },
  })
})

test('a segment that is changed while a freeze reads it: the freeze stores what it was compiled from', async () => {
  const shop = await shopOf('meanwhile')
  const segment = await segmentOf(shop, { tag: 'vip' }, 'Customers')
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { segment } })
  const key = { workspaceId: shop.id, campaignId: id }
  const before = await readSendApproval(db, key)
  const meanwhile = await db.transaction(async (tx) => {
    await tx.count(sql`lock table platform_suppression in access exclusive mode`)
    const frozen = freeze(shop, id)
    await untilWaits(api.database.url, 'platform_suppression')
    const body = { definition: { none: [{ tag: 'vip' }] } }
    const changed = await callVerb(service, shop.id, 'updateSegment', {
      ...{ params: { id: segment }, body },
    })
    assert.equal(changed.version, 2)
    return { frozen }
  })
  assert.equal(await meanwhile.frozen, 1)
  assert.partialDeepStrictEqual(await frozenOf(shop, id), {
    segments: [{ version: 1, definition: { tag: 'vip' } }],
  })
  assert.equal((await readSendApproval(db, key)).campaign.digest, before.campaign.digest)
})

test('the counts name each exclusion; a contact is left out by the first reason', async () => {
  const shop = await shopOf('reasons')
  const vip = await segmentOf(shop, { tag: 'vip' }, 'Customers')
  await shop.suppress('person3@example.com', 'manual')
  const id = await draftOf(api, shop)
  await choose(shop, id, { except: [{ segment: vip }, { tag: 'vip' }] })
  const { reachable, notReached } = await reach(shop, id)
  assert.equal(reachable, 1)
  assert.deepEqual(notReached, [
    { reason: 'excluded_segment', name: 'Customers', count: 1, more: false },
    { reason: 'unsubscribed', name: null, count: 1, more: false },
  ])
})

test('a sent campaign says how many each exclusion left out; after an undo it is to be counted again', async () => {
  const shop = await shopOf('left-out')
  const vip = await segmentOf(shop, { tag: 'vip' }, 'Customers')
  const id = await draftOf(api, shop)
  await choose(shop, id, { except: [{ segment: vip }, { tag: 'vip' }, { tag: 'none' }] })
  const leftOut = async () => (await audienceOf(shop, id)).except.map((each) => each.left_out)
  assert.deepEqual(await leftOut(), [null, null, null])
  assert.equal(await freeze(shop, id, { undoSeconds: 30 }), 2)
  await api.run(`update subscriber set tags = '{vip}' where workspace_id = ${shop.id}`)
  assert.deepEqual(await leftOut(), [1, 0, 0])
  await callVerb(service, shop.id, 'undoCampaignSend', { params: { id } })
  assert.deepEqual(await leftOut(), [null, null, null])
  await choose(shop, id, { to: { tags: ['vip'] }, except: [{ tag: 'none' }] })
  assert.equal(await freeze(shop, id), 3)
  assert.deepEqual(await leftOut(), [0])
  await api.run(`update campaign set except_left = null where id = '${id}'`)
  assert.deepEqual(await leftOut(), [null], 'a process of the previous version froze it')
})

/** What may take long, on these connections. */
const longWork: Record<string, (segmentDb: Connection, key: CampaignKey) => Promise<unknown>> = {
  'a count for an approval': (segmentDb, key) =>
    countTargeted({ db, segmentDb }, { ...key, seconds: 120 }),
  'a change of many contacts': (segmentDb, { workspaceId }) =>
    callVerb({ ...service, segmentDb }, workspaceId, 'tagContacts', {
      body: { selection: { matching: {} }, tag: 'many' },
    }),
  'an export': (segmentDb, { workspaceId }) =>
    freezeMembers({ segmentDb, workspaceId }, { all: [] }),
}

for (const [name, begin] of Object.entries(longWork))
  test(`${name}, which may take long, holds up no short count of any workspace`, async () => {
    const released = Promise.withResolvers<void>()
    let underWay = 0
    const slow: Connection = Object.assign(Object.create(service.segmentDb) as Connection, {
      transaction: <T>(work: (tx: Database) => Promise<T>) =>
        service.segmentDb.transaction(async (tx) => {
          underWay++
          await released.promise
          return work(tx)
        }),
    })
    const campaigns = await Promise.all(
      Array.from({ length: 5 }, async (_, number) => {
        const shop = await shopOf(`${name}-${number}`)
        const id = await draftOf(api, shop)
        await choose(shop, id, { to: { tags: ['vip'] } })
        return { workspaceId: shop.id, campaignId: id }
      }),
    )
    const long = campaigns.map((key) => begin(slow, key))
    await until(() => underWay > 1)
    const short = await Promise.allSettled(campaigns.map((key) => countTargeted(service, key)))
    const longAtOnce = underWay
    released.resolve()
    await Promise.all(long)
    assert.equal(longAtOnce, 2)
    for (const count of short) assert.partialDeepStrictEqual(count, { value: { reachable: 1 } })
    assert.equal(underWay, campaigns.length)
  })

test('a campaign within the last days excludes those who got it or wait for it', async () => {
  const shop = await shopOf('weekly')
  const last = await draftOf(api, shop)
  await choose(shop, last, { to: { tags: ['VIP'] } })
  const id = await draftOf(api, shop)
  await choose(shop, id, { except: [{ received: { within_days: 7 } }] })
  assert.equal((await reach(shop, id)).reachable, 3)
  assert.equal(await freeze(shop, last), 1)
  assert.equal((await reach(shop, id)).reachable, 2, 'one waits for the mail of another campaign')
  const completeAs = (status: string, sentAt: string) =>
    api.run(`
      update campaign_recipient set state = 'settled', status = '${status}', attempts = 1, sent_at = ${sentAt}
      where campaign_id = '${last}'`)
  await completeAs('failed', 'null')
  assert.equal((await reach(shop, id)).reachable, 3, 'it got none after all')
  const endAt = (daysAgo: number) =>
    api.run(`
      update campaign_recipient set state = 'in_doubt', status = 'queued' where campaign_id = '${last}';
      update campaign_run set pending = 0, in_doubt = 1 where campaign_id = '${last}';
      update campaign set status = 'sent', sent_at = facteur_now(),
        completed_at = facteur_now() - interval '${daysAgo} days' where id = '${last}'`)
  await endAt(6)
  assert.equal((await reach(shop, id)).reachable, 2, 'nobody knows whether it got one')
  const never = await draftOf(api, shop)
  await choose(shop, never, {
    to: { segment: await segmentOf(shop, { received: { never: true } }) },
  })
  assert.equal((await reach(shop, never)).reachable, 2)
  await endAt(8)
  assert.equal((await reach(shop, id)).reachable, 3)
  assert.equal((await reach(shop, never)).reachable, 2)
  await completeAs('sent', 'facteur_now()')
  assert.equal((await reach(shop, id)).reachable, 2)
  assert.equal(await freeze(shop, id), 2)
})

test('409 targeted: a key neither sends nor schedules it, reads its name, and its copy is targeted too', async () => {
  const shop = await shopOf('keys')
  const segment = await segmentOf(shop, { tag: 'vip' }, 'Customers')
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { segment }, except: [{ tag: 'no' }] })
  const { key } = shop
  const by = (line: string, body?: object) => ask(api.baseUrl, line, { key, ...(body && { body }) })
  const copy = await by(`POST /api/v1/campaigns/${id}/duplicate`, {})
  for (const each of [id, String(at(copy, 'body', 'id'))]) {
    const read = await by(`GET /api/v1/campaigns/${each}`)
    assert.deepEqual(at(read, 'body', 'audience'), { name: 'Customers', exclusions: 1 })
    const details = { id: each, status: 'draft', reason: 'targeted' }
    assertRefused(await send(api, shop, each), 'conflict', details)
    assertRefused(await by(`POST /api/v1/broadcasts/${each}/send`, {}), 'conflict', details)
    const schedule = { scheduledAt: '2099-01-01T00:00:00Z' }
    assert.equal((await by(`POST /api/v1/campaigns/${each}/schedule`, schedule)).status, 422)
    const soon = { scheduledAt: 'in 1 hour' }
    const answer = await by(`POST /api/v1/campaigns/${each}/schedule`, soon)
    assertRefused(answer, 'conflict')
    assert.equal(at(answer, 'body', 'error', 'details', 'reason'), 'targeted')
    assert.equal((await campaignRow(api, shop, each)).status, 'draft')
  }
  for (const name of ['audience', 'segment', 'segment_id', 'to', 'except', 'exclude', 'targeting'])
    assertRefused(await by(`PATCH /api/v1/campaigns/${id}`, { [name]: 'x' }), 'validation_error')
  assert.equal((await by(`PATCH /api/v1/campaigns/${id}`, { subject: 'Other' })).status, 200)
  assert.equal(await freeze(shop, id), 1)
})

test('only a draft gets an audience, of segments of its own workspace', async () => {
  const [shop, other] = [await shopOf('own'), await shopOf('foreign')]
  const segment = await segmentOf(other, { tag: 'vip' })
  const id = await draftOf(api, shop)
  await assert.rejects(choose(shop, id, { to: { segment } }), { code: 'validation_error' })
  await assert.rejects(choose(other, id, { to: { segment } }), { code: 'not_found' })
  await choose(shop, id, { to: { tags: ['vip'] } })
  assert.equal(await freeze(shop, id), 1)
  await assert.rejects(choose(shop, id, {}), { code: 'conflict' })
})

test('an audience that takes too long stays a draft with a notice, and a scheduled one becomes a draft again', async () => {
  const shop = await shopOf('slow')
  for (const status of ['draft', 'scheduled'] as const) {
    const id = await draftOf(api, shop)
    await choose(shop, id, { to: { tags: ['vip'] } })
    await api.run(
      `update campaign set status = '${status}', scheduled_at = facteur_now() where id = '${id}' and '${status}' = 'scheduled'`,
    )
    await db.transaction(async (tx) => {
      await tx.count(sql`lock table platform_suppression in access exclusive mode`)
      const sending =
        status === 'draft'
          ? assert.rejects(freeze(shop, id, { audienceTimeoutMs: 300 }), {
              details: { reason: 'audience_too_slow' },
            })
          : startScheduled(service, { workspaceId: shop.id, id, audienceTimeoutMs: 300 })
      await untilWaits(api.database.url, 'platform_suppression')
      await sending
    })
    assert.partialDeepStrictEqual(await campaignRow(api, shop, id), {
      status: 'draft',
      notice: 'audience_too_slow',
    })
    assert.deepEqual(await recipientsOf(api, shop, id), [])
  }
})

test('a scheduled campaign that another process freezes is left to it', async () => {
  const shop = await shopOf('elsewhere')
  const id = await draftOf(api, shop)
  await api.run(
    `update campaign set status = 'scheduled', scheduled_at = facteur_now() where id = '${id}'`,
  )
  await db.transaction(async (tx) => {
    await tx.count(sql`select from campaign where id = ${id} for update`)
    await startScheduled(service, { workspaceId: shop.id, id })
  })
  assert.partialDeepStrictEqual(await campaignRow(api, shop, id), {
    status: 'scheduled',
    notice: null,
  })
})

test('a scheduled campaign whose audience names a campaign that expired becomes a draft again, with the day', async () => {
  const shop = await shopOf('expired')
  const old = await draftOf(api, shop)
  const segment = await segmentOf(shop, { received: { campaign: old } })
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { segment } })
  await api.run(`
    update campaign set status = 'archived', completed_at = facteur_now() - interval '400 days' where id = '${old}';
    update campaign set status = 'scheduled', scheduled_at = facteur_now() where id = '${id}'`)
  await startScheduled(service, { workspaceId: shop.id, id })
  const run = await callVerb(service, shop.id, 'getCampaignRun', { params: { id } })
  assert.equal(run.campaign.status, 'draft')
  assert.equal(run.notice, 'audience_expired')
  assert.match(run.noticeDay ?? '', /^\d{4}-\d\d-\d\d$/)
})

test('a process that knows no audience cannot freeze such a campaign for everybody', async () => {
  const shop = await shopOf('older')
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { tags: ['vip'] } })
  const freezeAsBefore = `update campaign set status = 'sending', frozen_at = facteur_now() where id = '${id}'`
  await assert.rejects(api.run(freezeAsBefore), { code: '23514' })
  assert.equal(await freeze(shop, id, { undoSeconds: 30 }), 1)
  await api.run(`
    update campaign set status = 'draft', held_until = null, frozen_at = null, compiled = null where id = '${id}';
    delete from campaign_recipient; delete from campaign_run; delete from campaign_link`)
  await assert.rejects(api.run(freezeAsBefore), { code: '23514' }, 'it had undone our freeze')
  await choose(shop, id, { except: [{ tag: 'vip' }] })
  assert.partialDeepStrictEqual(await audienceOf(shop, id), { to: null })
  assert.equal(await freeze(shop, id), 2)
})

test('an undone send keeps the audience, and another send freezes it again', async () => {
  const shop = await shopOf('undone')
  const id = await draftOf(api, shop)
  await choose(shop, id, { to: { tags: ['vip'] } })
  assert.equal(await freeze(shop, id, { undoSeconds: 30 }), 1)
  await callVerb(service, shop.id, 'undoCampaignSend', { params: { id } })
  await choose(shop, id, { except: [{ tag: 'vip' }] })
  assert.equal(await freeze(shop, id), 2)
})
