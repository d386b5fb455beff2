/**
 * Lists of members have totals: campaigns by status with the subject as a reader has it, messages
 * by status for any filter; one text finds a message by address, subject or identifier.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedEntriesMax } from '../../src/contract/counted.ts'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { campaignRow, draftOf, send } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })

const read = async (path: string, query: Record<string, string> = {}, slug = 'shop') => {
  const asker = slug === 'shop' ? viewer : stranger
  const text = new URLSearchParams(query).toString()
  const answer = await asker.ask(`GET /workspaces/${slug}/api/v1/${path}?${text}`)
  assertAnswered(answer, 200)
  return answer.body
}
const mail = async (body: object, { key } = shop): Promise<string> =>
  textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', {
      key,
      body: { from: 'hello@shop.test', subject: 'Bonjour', text: 'Bonjour', ...body },
    }),
    'id',
  )
const search = async (query: Record<string, string>): Promise<string[]> =>
  (at(await read('messages', query), 'data') as { id: string }[]).map(({ id }) => id)
/** The statuses that some have, and `all`. */
const totals = async (query: Record<string, string> = {}, slug = 'shop') => {
  const body = await read('message-totals', query, slug)
  const statuses = at(body, 'statuses') as Record<string, { count: number; more: boolean }>
  const some = Object.entries(statuses).filter(([, { count }]) => count > 0)
  assert.equal(at(body, 'all', 'more'), false)
  return {
    all: at(body, 'all', 'count'),
    ...Object.fromEntries(some.map(([status, { count }]) => [status, count])),
  }
}
const campaignTotals = async (slug = 'shop', query = {}): Promise<Record<string, number>> => {
  const body = await read('campaign-totals', query, slug)
  const statuses = at(body, 'statuses') as Record<string, { count: number }>
  const counts = Object.entries({ ...statuses, all: at(body, 'all') as { count: number } })
  return Object.fromEntries(counts.map(([status, { count }]) => [status, count]))
}
const rendered = async (slug = 'shop'): Promise<string[]> =>
  (at(await read('campaigns', {}, slug), 'data') as { renderedSubject: string }[]).map(
    (campaign) => campaign.renderedSubject,
  )
const settled = () =>
  until(
    () => totals(),
    (counts) => !('queued' in counts) && !('sent' in counts),
  )

test('campaigns are counted by status, and their subjects are those of a subscribed contact', async () => {
  const none = { all: 0, draft: 0, scheduled: 0, sending: 0, sent: 0, archived: 0 }
  assert.deepEqual(await campaignTotals(), none)
  await draftOf(api, shop, { subject: 'For {{firstName | default: "you"}}' })
  assert.deepEqual(await rendered(), ['For you'])
  await draftOf(api, other, { subject: 'Hello {{firstName | default: "there"}}' })
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email: 'camille@example.com', firstName: 'Camille', double_opt_in: false },
    }),
    201,
  )
  assert.deepEqual(await rendered(), ['For Camille'])
  assert.deepEqual(await rendered('other'), ['Hello there'], 'a reader of its own, or none')
  const archived = await draftOf(api, shop, { subject: 'Gone' })
  assertAnswered(
    await editor.ask(`POST /workspaces/shop/api/v1/campaigns/${archived}/archive`, { body: {} }),
    200,
  )
  assert.deepEqual(await campaignTotals(), { ...none, all: 1, draft: 1, archived: 1 })
  assert.deepEqual(await campaignTotals('other'), { ...none, all: 1, draft: 1 })
  assert.deepEqual(await campaignTotals('shop', { q: ' FOR {{' }), { ...none, all: 1, draft: 1 })
  assert.deepEqual(await campaignTotals('shop', { q: 'nowhere' }), none)
})

test('one text finds a message by a part of its address, words of its subject or its identifier', async () => {
  const invoice = await mail({ to: 'lea.dubois@example.com', subject: 'Facture FR-2048' })
  const dubois = await mail({ to: 'max@example.org', subject: 'Dubois and sons', tags: { a: 'b' } })
  const lost = await mail({ to: 'bounced@simulator.test', subject: 'Hello nobody' })
  await mail({ from: 'hello@other.test', to: 'lea.dubois@example.com' }, other)
  await settled()
  assert.deepEqual(await search({ q: 'dubois' }), [dubois, invoice])
  assert.deepEqual(await search({ q: 'dubois', tag: 'a:b' }), [dubois])
  assert.deepEqual(await search({ q: 'dubois', until: '2020-01-01T00:00:00Z' }), [])
  assert.deepEqual(await search({ q: 'a.dubois@exam' }), [invoice])
  assert.deepEqual(await search({ q: 'facture fr' }), [invoice])
  assert.deepEqual(await search({ q: invoice, status: 'bounced' }), [invoice])
  assert.deepEqual(await search({ q: 'bo' }), [lost], 'two characters begin an address or a word')
  assert.deepEqual(await search({ q: '@' }), [])
  assert.deepEqual(await search({ q: 'no such text' }), [])
  const foreign = await stranger.ask(`GET /workspaces/other/api/v1/messages?q=${invoice}`)
  assert.deepEqual(at(foreign.body, 'data'), [])
  // Two searches at once go on without a gap, and a line that both find is there once.
  const both = await mail({ to: 'dubois@example.com', subject: 'Dubois' })
  const pages: string[] = []
  for (let cursor = ''; ;) {
    const page = await read('messages', { q: 'dubois', limit: '1', ...(cursor && { cursor }) })
    pages.push(...(at(page, 'data') as { id: string }[]).map(({ id }) => id))
    if (at(page, 'has_more') === false) break
    cursor = String(at(page, 'next_cursor'))
  }
  assert.deepEqual(pages, [both, dubois, invoice])
})

test('messages of any filter are counted by status, single ones and mails of campaigns, of one workspace', async () => {
  await settled()
  assert.deepEqual(await totals(), { all: 4, delivered: 3, bounced: 1 })
  assert.deepEqual(await totals({ q: 'dubois' }), { all: 3, delivered: 3 })
  assert.deepEqual(await totals({ tag: 'a:b' }), { all: 1, delivered: 1 })
  assert.deepEqual(await totals({ kind: 'campaign' }), { all: 0 })
  assert.deepEqual(await totals({}, 'other'), { all: 1, delivered: 1 })
  const campaign = await draftOf(api, shop, { subject: 'Soldes' })
  await send(api, shop, campaign)
  await until(
    () => campaignRow(api, shop, campaign),
    ({ status }) => status === 'sent',
  )
  await settled()
  assert.deepEqual(await totals({ kind: 'campaign' }), { all: 1, delivered: 1 })
  assert.deepEqual(await totals(), { all: 5, delivered: 4, bounced: 1 })
  const [id = ''] = await search({ kind: 'campaign' })
  assert.deepEqual(await totals({ q: id }), { all: 1, delivered: 1 })
  assert.deepEqual(await search({ q: id }), [id])
})

test(`more than ${countedEntriesMax} are said to be more`, async () => {
  const { id: workspaceId } = await api.workspace('large')
  const owner = await signIn(api, { in: { [workspaceId]: 'owner' } })
  const db = api.service.db
  const extra = countedEntriesMax + 1
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    select ${workspaceId}, gen_random_uuid(), 'Draft', 'Draft', 'text', '{}', 'draft', facteur_now(), facteur_now()
    from generate_series(1, ${extra}::int)`)
  const answer = await owner.ask('GET /workspaces/large/api/v1/campaign-totals')
  const tooMany = { count: countedEntriesMax, more: true }
  assertAnswered(answer, 200, { all: tooMany, statuses: { draft: tooMany } })
})

test('422: a text that is too long, a kind and a time that are none', async () => {
  for (const [name, value] of [
    ['q', 'x'.repeat(limits.searchMax + 1)],
    ['kind', 'letter'],
    ['since', 'yesterday'],
  ] as const)
    for (const path of ['messages', 'message-totals'])
      assertRefused(
        await viewer.ask(
          `GET /workspaces/shop/api/v1/${path}?${new URLSearchParams({ [name]: value }).toString()}`,
        ),
        'validation_error',
        { path: name },
      )
})

test('404: the totals of a workspace that somebody is not a member of', async () => {
  for (const path of ['message-totals', 'campaign-totals'])
    assert.equal((await stranger.ask(`GET /workspaces/shop/api/v1/${path}`)).status, 404)
})
