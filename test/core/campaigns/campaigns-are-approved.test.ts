/**
 * A campaign to more recipients than the workspace allows leaves only with the approval of a second
 * member, for exactly its content, its audience and its number, by whatever way it is sent.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../src/contract/roles.ts'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { startScheduled } from '../../../src/core/campaigns/start-scheduled.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../../support/ask.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  noticesTo,
  recipientsOf,
} from '../../support/campaign-world.ts'
import { at } from '../../support/json.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { signIn, type Visitor } from '../../support/sign-in.ts'

/** Nothing leaves by itself. */
const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const { service } = api
const { db } = service

/** A shop of three members who send and one who reads, which demands approvals above ten. */
interface Shop extends TestWorkspace {
  slug: string
  owner: Visitor
  ada: Visitor
  ben: Visitor
}

const member = (shop: TestWorkspace, name: string, role: Role) =>
  signIn(api, { email: `${name}@${shop.id}.people.test`, in: { [shop.id]: role } })

async function shopOf(
  slug: string,
  { above = 10, size = 20 }: { above?: number | null; size?: number } = {},
): Promise<Shop> {
  const workspace = await api.workspace(slug)
  await addSubscribers(api, workspace, size)
  const [owner, ada, ben] = await Promise.all([
    member(workspace, 'owner', 'owner'),
    member(workspace, 'ada', 'editor'),
    member(workspace, 'ben', 'editor'),
  ])
  const shop = { ...workspace, slug, owner, ada, ben }
  if (above !== null) assertAnswered(await setRule(shop, { above }), 200, { above })
  return shop
}

const here = ({ slug }: Shop): string => `/workspaces/${slug}/api/v1`
const setRule = (shop: Shop, body: object, by = shop.owner): Promise<Answer> =>
  by.ask(`PATCH ${here(shop)}/settings/approval`, { body })
const on = (shop: Shop, id: string, line: string, by: Visitor, body: object = {}) => {
  const [method, path] = line.split(' ')
  return by.ask(`${method} ${here(shop)}/campaigns/${id}${path}`, { body })
}
const runOf = async (shop: Shop, id: string, by = shop.ben): Promise<unknown> =>
  at((await by.ask(`GET ${here(shop)}/campaigns/${id}/run`)).body, 'approval')
const stateOf = async (shop: Shop, id: string): Promise<unknown> =>
  at(await runOf(shop, id), 'state')
const askFor = async (shop: Shop, id: string, by = shop.ada) => {
  const digest = at(await runOf(shop, id, by), 'digest') ?? '0'.repeat(64)
  return on(shop, id, 'POST /approval', by, { digest })
}
const approve = async (shop: Shop, id: string, by = shop.ben) =>
  on(shop, id, 'POST /approve', by, { digest: at(await runOf(shop, id), 'digest') })
const sendTo = (shop: Shop, id: string, count: number, by = shop.ada) =>
  on(shop, id, `POST /send?confirm_recipients=${count}`, by)
const byKey = ({ key }: Shop, line: string, body: object = {}) =>
  ask(api.baseUrl, line, { key, body })

async function approved(shop: Shop, body: object = {}): Promise<string> {
  const id = await draftOf(api, shop, body)
  assertAnswered(await askFor(shop, id), 200)
  assertAnswered(await approve(shop, id), 200)
  return id
}

const assertUnapproved = (answer: Answer, because: string): void => {
  assertRefused(answer, 'conflict')
  assert.partialDeepStrictEqual(at(answer.body, 'error', 'details'), {
    ...{ reason: 'approval_required', because },
  })
}

const grow = (shop: Shop, from: number, to: number) =>
  api.run(`
    insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    select ${shop.id}, gen_random_uuid(), 'more' || n || '@example.com', 'subscribed', facteur_now(), facteur_now()
    from generate_series(${from + 1}, ${to}) n`)

/** Its run ends, with all who got nothing or may have got nothing. */
const fail = (id: string, { failed = 20, doubtful = 0 } = {}) =>
  api.run(`
    update campaign_recipient set state = 'settled', status = 'failed', error = 'x' where campaign_id = '${id}';
    update campaign_recipient set state = 'in_doubt', status = 'queued', error = null
    where subscriber_id in (
      select subscriber_id from campaign_recipient where campaign_id = '${id}' limit ${doubtful});
    update campaign_run set pending = 0, failed = ${failed}, in_doubt = ${doubtful} where campaign_id = '${id}';
    update campaign set status = 'sent', sent_at = facteur_now(), completed_at = facteur_now() where id = '${id}'`)

const set = (shop: Shop, body: object) => shop.owner.ask(`PATCH ${here(shop)}/settings`, { body })

/** A host of the sender's domain comes into use. */
const host = (shop: Shop, purpose: string) =>
  api.run(`
    insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
    values (${shop.id}, '${shop.domain}', '${purpose}.${shop.domain}', 'CNAME', '${purpose}', 'found', '{}',
      true, 0, facteur_now())`)

const actsOf = (shop: Shop, act: string) =>
  db.rows<{ who: string; details: object }>(
    sql`select who, details from audit_log where workspace_id = ${shop.id} and act = ${act} order by id`,
  )

const segmentOf = async (shop: Shop): Promise<string> =>
  textAt(
    await shop.owner.ask(`POST ${here(shop)}/audience/segments`, {
      body: { name: service.makeId(), definition: { status: 'subscribed' } },
    }),
    'id',
  )

test('409: a campaign above the number is sent by nobody until a second member approves it', async () => {
  const shop = await shopOf('second')
  const id = await draftOf(api, shop)
  assertUnapproved(await byKey(shop, `POST /api/v1/campaigns/${id}/send`), 'none')
  const soon = { scheduledAt: 'in 1 hour' }
  assertUnapproved(await byKey(shop, `POST /api/v1/campaigns/${id}/schedule`, soon), 'none')
  assertUnapproved(await on(shop, id, 'POST /schedule', shop.owner, soon), 'none')
  assertUnapproved(await sendTo(shop, id, 20, shop.owner), 'none')
  assertUnapproved(await byKey(shop, `POST /api/v1/broadcasts/${id}/send`), 'none')
  assert.partialDeepStrictEqual(await campaignRow(api, shop, id), { status: 'draft', notice: null })
  assert.deepEqual(await recipientsOf(api, shop, id), [])

  assertAnswered(await askFor(shop, id), 200)
  assertUnapproved(await byKey(shop, `POST /api/v1/campaigns/${id}/send`), 'asked')
  assertAnswered(await approve(shop, id), 200)
  assert.partialDeepStrictEqual(await runOf(shop, id), {
    ...{ state: 'approved', recipients: 20, above: 10, growth_percent: 5 },
    ...{ asked_by: shop.ada.email, approved_by: shop.ben.email },
  })
  const digest = at(await runOf(shop, id), 'digest')
  const details = { campaign: id, recipients: 20, digest }
  assert.deepEqual(await actsOf(shop, 'campaign.approval_asked'), [
    { who: shop.ada.email, details },
  ])
  assert.deepEqual(await actsOf(shop, 'campaign.approved'), [
    { who: shop.ben.email, details: { ...details, asked_by: shop.ada.email } },
  ])
  assertAnswered(await byKey(shop, `POST /api/v1/campaigns/${id}/send`), 202, { queued: 20 })
  assert.equal(await stateOf(shop, id), 'approved', 'it stays with the campaign')
})

test('a campaign to as many as the number, or of a workspace without one, needs nobody', async () => {
  const shop = await shopOf('few', { size: 10 })
  const few = await draftOf(api, shop)
  assertAnswered(await byKey(shop, `POST /api/v1/campaigns/${few}/send`), 202, { queued: 10 })
  const free = await shopOf('free', { above: null })
  const id = await draftOf(api, free)
  assert.equal(await runOf(free, id), null)
  assertRefused(await askFor(free, id), 'conflict', { reason: 'approval_not_needed' })
  assertAnswered(await byKey(free, `POST /api/v1/campaigns/${id}/send`), 202, { queued: 20 })
})

test('409: neither who asked nor who changed content or audience last approves', async () => {
  const shop = await shopOf('own')
  const id = await draftOf(api, shop)
  assertRefused(await approve(shop, id), 'conflict', { reason: 'approval_not_asked' })
  assertAnswered(await askFor(shop, id), 200)
  assertRefused(await approve(shop, id, shop.ada), 'conflict', { reason: 'approval_own_request' })
  assert.equal(at(await runOf(shop, id, shop.ada), 'obstacle'), 'own_request')
  // Whatever a verb would forget.
  const own = `update approval set approved_by = asked_by where subject_id = '${id}'`
  await assert.rejects(api.run(own), /approval_by_another/)

  const changes: [string, object][] = [
    ['PATCH ', { text: 'Ben wrote this.' }],
    ['POST /audience', { except: [{ tag: 'nobody' }] }],
  ]
  for (const [line, body] of changes) {
    const changed = await draftOf(api, shop)
    assertAnswered(await on(shop, changed, line, shop.ben, body), 200)
    assertAnswered(await askFor(shop, changed), 200)
    const refused = await approve(shop, changed)
    assertRefused(refused, 'conflict', { reason: 'approval_own_change' })
    assert.equal(at(await runOf(shop, changed), 'obstacle'), 'own_change')
    assertAnswered(await approve(shop, changed, shop.owner), 200)
  }
  const copied = await shop.ben.ask(`POST ${here(shop)}/campaigns/${id}/duplicate`, { body: {} })
  const copy = textAt(copied, 'campaign', 'id')
  assert.equal(await stateOf(shop, copy), 'none', 'a copy has no approval')
  assertAnswered(await askFor(shop, copy), 200)
  assertRefused(await approve(shop, copy), 'conflict', { reason: 'approval_own_change' })
  assert.equal((await actsOf(shop, 'campaign.audience_changed')).length, 1)
})

test('409: a change that a key, a command or the same choice makes later hides no member', async () => {
  const shop = await shopOf('hidden')
  await api.run(`
    insert into topic (workspace_id, id, name, by_default, created_at)
    values (${shop.id}, gen_random_uuid(), 'News', true, facteur_now())`)
  const topic = await db.onlyValue<string>(
    sql`select id from topic where workspace_id = ${shop.id}`,
  )
  const except = { except: [{ tag: 'nobody' }] }
  const cases: [string, object, (id: string) => Promise<unknown>][] = [
    [
      'PATCH ',
      { text: 'By Ben' },
      (id) => byKey(shop, `PATCH /api/v1/campaigns/${id}`, { preheader: 'x' }),
    ],
    ['POST /audience', except, (id) => on(shop, id, 'POST /audience', shop.ada, except)],
    ['POST /audience', except, (id) => on(shop, id, 'POST /topic', shop.ada, { topic })],
    ['POST /topic', { topic }, (id) => on(shop, id, 'POST /topic', shop.ada, { topic })],
    ['POST /topic', { topic }, (id) => on(shop, id, 'POST /audience', shop.ada, except)],
  ]
  for (const [line, body, later] of cases) {
    const id = await draftOf(api, shop)
    assertAnswered(await on(shop, id, line, shop.ben, body), 200)
    await later(id)
    assertAnswered(await askFor(shop, id), 200)
    assertRefused(await approve(shop, id), 'conflict', { reason: 'approval_own_change' })
  }
})

test('409: who defined a segment last approves no campaign that uses it, and is not mailed', async () => {
  const shop = await shopOf('definers')
  const [to, excluded] = [await segmentOf(shop), await segmentOf(shop)]
  const change = (segment: string, by: Visitor, body: object) =>
    by.ask(`PATCH ${here(shop)}/audience/segments/${segment}`, { body })
  await change(to, shop.ada, { definition: { none: [{ tag: 'x' }] } })
  await change(excluded, shop.ben, { definition: { tag: 'x' } })
  assertAnswered(await change(excluded, shop.ada, { name: 'Renamed' }), 200)
  const id = await draftOf(api, shop)
  const audience = { to: { segment: to }, except: [{ segment: excluded }] }
  assertAnswered(await on(shop, id, 'POST /audience', shop.ada, audience), 200)
  assertAnswered(await askFor(shop, id), 200)
  assert.equal(at(await runOf(shop, id), 'obstacle'), 'own_change')
  assertRefused(await approve(shop, id), 'conflict', { reason: 'approval_own_change' })
  const mailed = await noticesTo(api, shop)
  assert.equal(
    mailed.some(({ email }) => email === shop.ben.email),
    false,
  )
})

test('403, 404: a viewer and a member of another workspace approve nothing', async () => {
  const [shop, other] = [await shopOf('mine'), await shopOf('theirs')]
  const id = await draftOf(api, shop)
  await askFor(shop, id)
  const viewer = await member(shop, 'viewer', 'viewer')
  assertRefused(await approve(shop, id, viewer), 'insufficient_role')
  assert.equal(at(await runOf(shop, id, viewer), 'obstacle'), 'role')
  const digest = at(await runOf(shop, id), 'digest')
  for (const line of ['POST /approve', 'POST /approval', 'DELETE /approval'])
    assertRefused(await on(other, id, line, other.ben, { digest }), 'not_found')
  assert.equal(await stateOf(shop, id), 'asked')
  assertRefused(await setRule(shop, { above: null }, shop.ada), 'insufficient_role')
  assert.equal(at(await runOf(shop, id), 'above'), 10)
})

test('409: each change of content or audience voids the approval, and another name does not', async () => {
  const shop = await shopOf('changes')
  const segment = await segmentOf(shop)
  await api.run(`
    insert into topic (workspace_id, id, name, by_default, created_at)
    values (${shop.id}, '${segment}', 'News', true, facteur_now())`)
  const zones = ['Asia/Tokyo', 'Europe/Paris']
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ['subject', (id) => on(shop, id, 'PATCH ', shop.ada, { subject: 'Another' })],
    ['preheader', (id) => on(shop, id, 'PATCH ', shop.ada, { preheader: 'Another' })],
    ['time zone', () => set(shop, { time_zone: zones.pop() })],
    ['tracking host', () => host(shop, 'tracking')],
    ['return path', () => host(shop, 'return_path')],
    ['text', (id) => on(shop, id, 'PATCH ', shop.ada, { text: 'Another' })],
    ['reply-to', (id) => on(shop, id, 'PATCH ', shop.ada, { replyTo: ['a@example.com'] })],
    ['opens', (id) => on(shop, id, 'PATCH ', shop.ada, { trackOpens: false })],
    ['clicks', (id) => on(shop, id, 'PATCH ', shop.ada, { trackClicks: false })],
    ['from', (id) => on(shop, id, 'PATCH ', shop.ada, { from: `Shop <hello@${shop.domain}>` })],
    ['by a key', (id) => byKey(shop, `PATCH /api/v1/campaigns/${id}`, { subject: 'By a key' })],
    ['topic', (id) => on(shop, id, 'POST /topic', shop.ada, { topic: segment })],
    ['to', (id) => on(shop, id, 'POST /audience', shop.ada, { to: { segment } })],
    ['except', (id) => on(shop, id, 'POST /audience', shop.ada, { except: [{ tag: 'x' }] })],
    [
      'address',
      () => shop.owner.ask(`PATCH ${here(shop)}/settings`, { body: { postal_address: 'Moved' } }),
    ],
  ]
  for (const [what, change] of changes) {
    const id = await approved(shop)
    await change(id)
    assert.equal(await stateOf(shop, id), 'changed', what)
    assertUnapproved(await sendTo(shop, id, 20), 'changed')
    assertRefused(await approve(shop, id, shop.owner), 'conflict', { reason: 'approval_changed' })
  }
  const id = await approved(shop)
  await on(shop, id, 'PATCH ', shop.ada, { name: 'For us' })
  assert.equal(await stateOf(shop, id), 'approved', 'recipients do not see the name')
  assertAnswered(await sendTo(shop, id, 20), 202)
})

test('409: an approval that a change voided is void for good, also where it is changed back', async () => {
  const shop = await shopOf('back')
  await api.run(`
    insert into topic (workspace_id, id, name, by_default, created_at)
    values (${shop.id}, gen_random_uuid(), 'News', true, facteur_now())`)
  const topic = await db.onlyValue<string>(
    sql`select id from topic where workspace_id = ${shop.id}`,
  )
  const tagged = { except: [{ tag: 'nobody' }] }
  const changes: [string, Visitor, string, object, object][] = [
    ['by another', shop.ada, 'PATCH ', { text: 'Another' }, { text: 'As before' }],
    ['by the one who approved', shop.ben, 'PATCH ', { text: 'Another' }, { text: 'As before' }],
    ['audience', shop.ada, 'POST /audience', tagged, { to: null, except: [] }],
    ['topic', shop.ada, 'POST /topic', { topic }, { topic: null }],
  ]
  for (const [what, by, line, there, back] of changes) {
    const id = await approved(shop, { text: 'As before' })
    for (const body of [there, back]) assertAnswered(await on(shop, id, line, by, body), 200)
    assert.equal(await stateOf(shop, id), 'changed', what)
    assertUnapproved(await sendTo(shop, id, 20), 'changed')
    assertAnswered(await askFor(shop, id), 200)
    assertAnswered(await approve(shop, id, shop.owner), 200)
    assertAnswered(await on(shop, id, line, shop.ada, back), 200)
    assert.equal(await stateOf(shop, id), 'approved', 'the same again is no change')
    assertAnswered(await sendTo(shop, id, 20), 202)
  }
})

test('409: who approved it and wrote it since is no second member', async () => {
  const shop = await shopOf('since')
  const [id, other] = [await approved(shop), await approved(shop)]
  // A statement that does not count its change.
  await api.run(
    `update campaign set content_changed_by = '${shop.ben.email}', saved_by = null where id = '${id}'`,
  )
  assert.equal(await stateOf(shop, id), 'changed')
  assertUnapproved(await sendTo(shop, id, 20), 'changed')
  assertAnswered(await sendTo(shop, other, 20), 202)
})

test('an approval is of the version of its segment', async () => {
  const shop = await shopOf('versions')
  const segment = await segmentOf(shop)
  const id = await draftOf(api, shop)
  await on(shop, id, 'POST /audience', shop.ada, { to: { segment } })
  await askFor(shop, id)
  await approve(shop, id)
  const details = await db.onlyValue<object>(
    sql`select details from approval where workspace_id = ${shop.id} and subject_id = ${id}`,
  )
  assert.partialDeepStrictEqual(details, {
    version: 1,
    audience: { to: { segment } },
    segments: [{ id: segment, version: 1 }],
  })
  await shop.owner.ask(`PATCH ${here(shop)}/audience/segments/${segment}`, {
    body: { definition: { none: [{ tag: 'x' }] } },
  })
  assert.equal(await stateOf(shop, id), 'changed')
  assertUnapproved(await sendTo(shop, id, 20), 'changed')
})

test('409: the member approves what they read, and nothing that was written since', async () => {
  const shop = await shopOf('read')
  const id = await draftOf(api, shop)
  await askFor(shop, id)
  const digest = at(await runOf(shop, id), 'digest')
  await on(shop, id, 'PATCH ', shop.ada, { text: 'Another' })
  await askFor(shop, id)
  assertRefused(await on(shop, id, 'POST /approve', shop.ben, { digest }), 'conflict', {
    reason: 'approval_changed',
  })
  assertAnswered(await approve(shop, id), 200)
})

test('409: a member asks for what they read, and for nothing that was written since', async () => {
  const shop = await shopOf('asks')
  const id = await draftOf(api, shop)
  const digest = at(await runOf(shop, id), 'digest')
  await on(shop, id, 'PATCH ', shop.ben, { text: 'Another' })
  const refused = await on(shop, id, 'POST /approval', shop.ada, { digest })
  assertRefused(refused, 'conflict', { id, reason: 'approval_changed' })
  assert.equal(await stateOf(shop, id), 'none')
})

test('422: nobody asks for what a send refuses: without a sender, or to nobody', async () => {
  const [shop, empty] = [await shopOf('sendable'), await shopOf('nobody', { size: 0 })]
  const id = await draftOf(api, shop)
  const nobody = await draftOf(api, empty)
  const toNobody = await askFor(empty, nobody)
  assertRefused(toNobody, 'validation_error', { reason: 'no_recipients' })
  await api.run(`update campaign set from_email = null where id = '${id}'`)
  assertRefused(await askFor(shop, id), 'validation_error', { reason: 'no_sender' })
  assert.equal(await stateOf(shop, id), 'none')
})

test('409: an unapproved send to an audience is refused uncounted', async () => {
  const shop = await shopOf('large')
  const id = await draftOf(api, shop)
  const audience = { to: null, except: [{ tag: 'nobody' }] }
  assertAnswered(await on(shop, id, 'POST /audience', shop.ada, audience), 200)
  const refused = await sendTo(shop, id, 20)
  assertUnapproved(refused, 'none')
  assert.equal(at(refused.body, 'error', 'details', 'recipients'), undefined, 'it does not count')
})

test('a schedule counts before its transaction, and takes no second connection', async (t) => {
  const shop = await shopOf('one-connection')
  const single = connect({ connectionString: api.database.url, poolSize: 1 })
  t.after(() => single.end())
  const id = await draftOf(api, shop)
  const soon = { params: { id }, body: { scheduledAt: 'in 1 hour' } }
  await assert.rejects(callVerb({ ...service, db: single }, shop.id, 'scheduleCampaign', soon), {
    details: { id, reason: 'approval_required', because: 'none', recipients: 20, above: 10 },
  })
})

test('a list may grow by five percent; beyond, the campaign stays a draft with a notice', async () => {
  const shop = await shopOf('growing')
  const [draft, scheduled, other] = [
    await approved(shop),
    await approved(shop),
    await approved(shop),
  ]
  await on(shop, scheduled, 'POST /schedule', shop.ada, { scheduledAt: 'in 1 hour' })
  await grow(shop, 20, 21)
  assertAnswered(await sendTo(shop, other, 21), 202)
  await grow(shop, 21, 22)
  const refused = await sendTo(shop, draft, 22)
  assertUnapproved(refused, 'exceeded')
  assert.partialDeepStrictEqual(at(refused.body, 'error', 'details'), {
    ...{ recipients: 22, approved: 20 },
  })
  await startScheduled(service, { workspaceId: shop.id, id: scheduled })
  for (const id of [draft, scheduled]) {
    const state = { status: 'draft', notice: 'approval_exceeded' }
    assert.partialDeepStrictEqual(await campaignRow(api, shop, id), state)
    assert.deepEqual(await recipientsOf(api, shop, id), [])
  }
  await setRule(shop, { growth_percent: 10 })
  assertAnswered(await sendTo(shop, draft, 22), 202)
  assertAnswered(await askFor(shop, scheduled), 200)
  assert.equal((await campaignRow(api, shop, scheduled)).notice, null)
})

test('a scheduled campaign whose approval does not count at its time is a draft again', async () => {
  const shop = await shopOf('later', { above: 20 })
  const soon = { scheduledAt: 'in 1 hour' }
  const lowered = await draftOf(api, shop)
  assertAnswered(await on(shop, lowered, 'POST /schedule', shop.ada, soon), 200)
  await setRule(shop, { above: 5 })
  const voided = await approved(shop)
  assertAnswered(await on(shop, voided, 'POST /schedule', shop.ada, soon), 200)
  await shop.owner.ask(`PATCH ${here(shop)}/settings`, { body: { postal_address: 'Moved' } })
  for (const id of [lowered, voided]) {
    await startScheduled(service, { workspaceId: shop.id, id })
    assert.partialDeepStrictEqual(await campaignRow(api, shop, id), {
      ...{ status: 'draft', notice: 'approval_required' },
    })
  }
  const same = await approved(shop)
  assertAnswered(await on(shop, same, 'POST /schedule', shop.ada, soon), 200)
  await startScheduled(service, { workspaceId: shop.id, id: same })
  assert.equal((await campaignRow(api, shop, same)).status, 'sending')
})

test('a send that is undone keeps its approval, until the campaign changes', async () => {
  const shop = await shopOf('undone')
  const id = await approved(shop)
  assertAnswered(await sendTo(shop, id, 20), 202)
  assertAnswered(await on(shop, id, 'POST /undo', shop.ada), 200)
  assertAnswered(await sendTo(shop, id, 20), 202)
  assertAnswered(await on(shop, id, 'POST /undo', shop.ada), 200)
  await on(shop, id, 'PATCH ', shop.ada, { text: 'Another' })
  assertUnapproved(await sendTo(shop, id, 20), 'changed')
})

test('a canary needs the approval too', async () => {
  const shop = await shopOf('canary')
  const id = await draftOf(api, shop)
  const options = { workspaceId: shop.id, id, from: 'draft', undoSeconds: 0 } as const
  for (const canary of [null, { size: 1, seconds: 1 }])
    await assert.rejects(freezeCampaign(service, { ...options, canary }), {
      ...{ code: 'conflict' },
    })
  assert.equal((await campaignRow(api, shop, id)).status, 'draft')
})

test('409: those who failed are sent to again only with an approval, where the list was frozen without one', async () => {
  const shop = await shopOf('again', { above: null })
  const id = await draftOf(api, shop)
  assertAnswered(await sendTo(shop, id, 20), 202)
  await fail(id)
  await setRule(shop, { above: 10 })
  assertUnapproved(await on(shop, id, 'POST /retry', shop.ada), 'none')
  assert.partialDeepStrictEqual(await campaignRow(api, shop, id), { status: 'sent', failed: 20 })
  assertAnswered(await askFor(shop, id), 200)
  assertAnswered(await approve(shop, id), 200)
  assertAnswered(await on(shop, id, 'POST /retry', shop.ada), 200, { reopened: 20 })
})

test('409: sending again is to no more than were approved for it, failed and in doubt together', async () => {
  const shop = await shopOf('again-more', { above: null })
  for (const act of ['retry', 'release']) {
    const id = await draftOf(api, shop)
    await setRule(shop, { above: null })
    assertAnswered(await sendTo(shop, id, 20), 202)
    await fail(id, { failed: 12 })
    await setRule(shop, { above: 10 })
    assertAnswered(await askFor(shop, id), 200)
    assertAnswered(await approve(shop, id), 200)
    await fail(id, { failed: 11, doubtful: 9 })
    assertUnapproved(await on(shop, id, `POST /${act}`, shop.ada), 'exceeded')
    const as = { status: 'sent', failed: 11, inDoubt: 9 }
    assert.partialDeepStrictEqual(await campaignRow(api, shop, id), as)
    assertAnswered(await askFor(shop, id), 200)
    assertAnswered(await approve(shop, id), 200)
    assertAnswered(await on(shop, id, `POST /${act}`, shop.ada), 200)
  }
})

test('who approved what was sent stays known: a later request is beside it, and nobody takes it back', async () => {
  const shop = await shopOf('kept')
  const id = await approved(shop)
  assertAnswered(await sendTo(shop, id, 20), 202)
  for (const status of ['sending', 'sent']) {
    if (status === 'sent') await fail(id)
    const refused = await on(shop, id, 'DELETE /approval', shop.ada)
    assertRefused(refused, 'conflict', { id, status })
    const answer = status === 'sending' ? 422 : 200
    assertAnswered(await askFor(shop, id, shop.owner), answer)
    const sentWith = await db.rows(sql`
      select asked_by_email, approved_by_email, quantity from approval
      where workspace_id = ${shop.id} and subject_id = ${id} and operation = 'campaign.send'`)
    assert.deepEqual(sentWith, [
      { askedByEmail: shop.ada.email, approvedByEmail: shop.ben.email, quantity: 20 },
    ])
  }
  assertUnapproved(await on(shop, id, 'POST /retry', shop.ada), 'asked')
  assertAnswered(await approve(shop, id), 200)
  assertAnswered(await on(shop, id, 'POST /retry', shop.ada), 200, { reopened: 20 })
})

test('409: nobody approves a draft that is being written', async () => {
  const shop = await shopOf('typing')
  const id = await draftOf(api, shop)
  assertAnswered(await askFor(shop, id), 200)
  await api.run(`update campaign set unfinished = true where id = '${id}'`)
  assertRefused(await approve(shop, id), 'conflict', { id, reason: 'unfinished' })
  assertRefused(await askFor(shop, id), 'conflict', { id, reason: 'unfinished' })
  await api.run(`update campaign set unfinished = false where id = '${id}'`)
  assertAnswered(await approve(shop, id), 200)
})

test('409: while a list is frozen, nobody asks, approves or takes back', async () => {
  const shop = await shopOf('meanwhile', { above: 20 })
  const id = await draftOf(api, shop)
  assertAnswered(await askFor(shop, id), 200)
  const failpoints = {
    hit: async (name: string) => {
      if (name !== 'freeze.after_insert') return
      const digest = at(await runOf(shop, id), 'digest')
      for (const line of ['POST /approval', 'POST /approve', 'DELETE /approval']) {
        const refused = await on(shop, id, line, shop.ben, { digest })
        assertRefused(refused, 'conflict', { id, status: 'sending' })
      }
    },
  }
  const options = { workspaceId: shop.id, id, from: 'draft', undoSeconds: 0, canary: null } as const
  assert.equal(await freezeCampaign({ ...service, failpoints: failpoints as never }, options), 20)
})

test('an approval is of the types of the fields that its segments compare', async () => {
  const shop = await shopOf('types')
  await api.run(`
    insert into subscriber_field (workspace_id, key, created_at)
    values (${shop.id}, 'size', facteur_now()), (${shop.id}, 'other', facteur_now())`)
  const created = await shop.owner.ask(`POST ${here(shop)}/audience/segments`, {
    body: { name: 'Sizes', definition: { field: 'size', is_not: '9' } },
  })
  const segment = textAt(created, 'id')
  const id = await draftOf(api, shop)
  await on(shop, id, 'POST /audience', shop.ada, { to: { segment } })
  await askFor(shop, id)
  await approve(shop, id)
  const typed = (key: string) =>
    api.run(`
      update subscriber_field set type = 'number' where workspace_id = ${shop.id} and key = '${key}'`)
  await typed('other')
  assert.equal(await stateOf(shop, id), 'approved')
  await typed('size')
  assert.equal(await stateOf(shop, id), 'changed')
})

test('409: a campaign whose topic was deleted is not sent again: nobody knows who had left it', async () => {
  const shop = await shopOf('topicless', { above: null })
  await api.run(`
    insert into topic (workspace_id, id, name, by_default, created_at)
    values (${shop.id}, gen_random_uuid(), 'News', true, facteur_now())`)
  const topic = await db.onlyValue<string>(
    sql`select id from topic where workspace_id = ${shop.id}`,
  )
  const id = await draftOf(api, shop)
  assertAnswered(await on(shop, id, 'POST /topic', shop.ada, { topic }), 200)
  assertAnswered(await sendTo(shop, id, 20), 202)
  await fail(id)
  await api.run(`delete from topic where id = '${topic}'`)
  const refused = await on(shop, id, 'POST /retry', shop.ada)
  assertRefused(refused, 'conflict', { id, reason: 'topic_deleted' })
  assert.partialDeepStrictEqual(await campaignRow(api, shop, id), { status: 'sent', failed: 20 })
})

test('409: broadcasts that are created to be sent or scheduled need the approval too', async () => {
  const shop = await shopOf('broadcasts')
  const lists = await ask(api.baseUrl, 'GET /api/v1/segments', { key: shop.key })
  const segment = textAt(lists, 'data', '0', 'id')
  const mail = {
    ...{ from: `hello@${shop.domain}`, segment_id: segment, subject: 'News', text: 'News' },
    send: true,
  }
  for (const more of [{}, { scheduled_at: 'in 1 hour' }]) {
    assertUnapproved(await byKey(shop, 'POST /api/v1/broadcasts', { ...mail, ...more }), 'none')
  }
  const left = sql`select count(*) from campaign where workspace_id = ${shop.id} and status <> 'draft'`
  assert.equal(await db.onlyValue(left), 0)
})

test('what changes while the list is frozen is not sent', async () => {
  const shop = await shopOf('race')
  const segment = await segmentOf(shop)
  const id = await draftOf(api, shop)
  await on(shop, id, 'POST /audience', shop.ada, { to: { segment } })
  await askFor(shop, id)
  await approve(shop, id)
  let refused = ''
  const failpoints = {
    hit: async (name: string) => {
      if (name !== 'freeze.after_insert') return
      await api.run(`update segment set version = version + 1 where id = '${segment}'`)
      // Its row is locked: an edit cannot come between.
      refused = await api
        .run(`set lock_timeout = 100; update campaign set subject = 'x' where id = '${id}'`)
        .then(() => 'changed', String)
    },
  }
  const options = { workspaceId: shop.id, id, from: 'draft', undoSeconds: 0, canary: null } as const
  await assert.rejects(freezeCampaign({ ...service, failpoints: failpoints as never }, options), {
    details: { id, reason: 'approval_required', because: 'changed', recipients: 20, above: 10 },
  })
  assert.match(refused, /lock timeout/)
  assert.deepEqual(await recipientsOf(api, shop, id), [])
})

test('an approval ends with its member, and a request stays when the one who asked leaves', async () => {
  const shop = await shopOf('leavers')
  const [id, requested] = [await approved(shop), await draftOf(api, shop)]
  await askFor(shop, requested)
  const roleOf = (who: Visitor, role: string) =>
    shop.owner.ask(`PATCH ${here(shop)}/members/${who.userId}`, { body: { role } })
  assertAnswered(await roleOf(shop.ben, 'viewer'), 200)
  assert.equal(await stateOf(shop, id), 'approver_left')
  assertUnapproved(await sendTo(shop, id, 20), 'approver_left')
  await roleOf(shop.ben, 'editor')
  assert.equal(await stateOf(shop, id), 'approved')
  const remove = (who: Visitor) => shop.owner.ask(`DELETE ${here(shop)}/members/${who.userId}`)
  assertAnswered(await remove(shop.ada), 200)
  assertAnswered(await approve(shop, requested), 200)
  assertAnswered(await remove(shop.ben), 200)
  assert.equal(at(await runOf(shop, requested, shop.owner), 'state'), 'approver_left')
  assertUnapproved(await sendTo(shop, requested, 20, shop.owner), 'approver_left')
  const rule = await shop.owner.ask(`GET ${here(shop)}/settings/approval`)
  assert.equal(at(rule.body, 'approvers'), 1, 'nobody is left who could')
})

test('a request and an approval can be taken back, and a deleted draft leaves none', async () => {
  const shop = await shopOf('withdrawn')
  const id = await approved(shop)
  assertAnswered(await on(shop, id, 'DELETE /approval', shop.ada), 200)
  assertRefused(await on(shop, id, 'DELETE /approval', shop.ada), 'conflict', {
    reason: 'approval_not_asked',
  })
  assertUnapproved(await sendTo(shop, id, 20), 'none')
  assert.equal((await actsOf(shop, 'campaign.approval_withdrawn')).length, 1)
  await askFor(shop, id)
  assertAnswered(await on(shop, id, 'DELETE ', shop.ada), 200)
  const left = sql`select count(*) from approval where workspace_id = ${shop.id}`
  assert.equal(await db.onlyValue(left), 0)
})

test('members who may approve are mailed: not who asked, nor who changed it last', async () => {
  const shop = await shopOf('mailed')
  const id = await draftOf(api, shop)
  await on(shop, id, 'PATCH ', shop.owner, { subject: 'The owner wrote this' })
  await member(shop, 'viewer', 'viewer')
  assertAnswered(await askFor(shop, id), 200, { mailed: 1 })
  const [mail, ...others] = await noticesTo(api, shop)
  assert.deepEqual([mail?.email, others], [shop.ben.email, []])
  assert.match(mail?.text ?? '', new RegExp(`/app/mailed/campaigns/${id}`))
})

test('each change of the rule is in the audit log', async () => {
  const shop = await shopOf('rules', { above: null })
  const read = () => shop.ada.ask(`GET ${here(shop)}/settings/approval`)
  assertAnswered(await read(), 200, { above: null, growth_percent: 5, approvers: 3 })
  await setRule(shop, { above: 0, growth_percent: 0 })
  assertAnswered(await read(), 200, { above: 0, growth_percent: 0 })
  await setRule(shop, { above: null })
  assertAnswered(await read(), 200, { above: null })
  assert.deepEqual(
    (await actsOf(shop, 'approval_rule.changed')).map(({ details }) => details),
    [
      { above: 0, before: null, growth_percent: 0 },
      { above: null, before: 0, growth_percent: 0 },
    ],
  )
})

test('a process of the previous version freezes no campaign of a workspace that demands approvals', async () => {
  const [shop, free] = [await shopOf('former'), await shopOf('former-free', { above: null })]
  const freezeAsBefore = (id: string) =>
    api.run(`update campaign set status = 'sending', frozen_at = facteur_now() where id = '${id}'`)
  await assert.rejects(freezeAsBefore(await draftOf(api, shop)), { code: '23514' })
  await freezeAsBefore(await draftOf(api, free))
  // It leaves the marks of an undone freeze behind.
  const id = await approved(shop)
  await sendTo(shop, id, 20)
  await api.run(
    `update campaign set status = 'draft', frozen_at = null, compiled = null where id = '${id}'`,
  )
  await assert.rejects(freezeAsBefore(id), { code: '23514' })
  const sent = await approved(shop)
  await sendTo(shop, sent, 20)
  await fail(sent)
  const reopenAsBefore = `
    update campaign set status = 'sending', reopened_at = facteur_now() where id = '${sent}'`
  await assert.rejects(api.run(reopenAsBefore), { code: '23514' })
})
