/**
 * Pages of large entries: what older versions let in is read to its end, page by page, in bounded
 * answers and bounded memory.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const old = await api.workspace('old')
const crowd = await api.workspace('crowd')
const called = await api.workspace('called')
const viewer = await signIn(api, {
  in: { [old.id]: 'viewer', [crowd.id]: 'viewer', [called.id]: 'owner' },
})
const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Bonjour', text: 'Bonjour' }
const get = (path: string, workspace = shop) =>
  ask(api.baseUrl, `GET /api/v1${path}`, { key: workspace.key })

interface Page {
  ids: string[]
  bytes: number
  more: boolean
  next: string
}

async function pageAt(path: string, cursor: string, workspace = shop): Promise<Page> {
  const whole = `${path}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
  const answer = path.startsWith('/workspaces/')
    ? await viewer.ask(`GET ${whole}`)
    : await get(whole, workspace)
  assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 300))
  const data: unknown = at(answer.body, 'data')
  assert.ok(Array.isArray(data))
  const ids = data.map((entry: unknown) => String(at(entry, 'id')))
  const bytes = Buffer.byteLength(JSON.stringify(answer.body))
  return {
    ids,
    bytes,
    more: at(answer.body, 'has_more') === true,
    next: String(at(answer.body, 'next_cursor')),
  }
}

/** All entries, with the rules that every page follows. */
async function readAll(path: string, workspace = shop): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let pages = 0
  for (let cursor = ''; ;) {
    const page = await pageAt(path, cursor, workspace)
    pages++
    assert.ok(page.ids.length > 0 || !page.more, 'an empty page says that there is more')
    assert.ok(
      page.ids.length === 1 || page.bytes <= limits.pageBytesMax + 1_000,
      `${page.bytes} bytes`,
    )
    ids.push(...page.ids)
    assert.equal(page.more, page.next !== '')
    if (!page.more) return { ids, pages }
    cursor = page.next
  }
}

const mails = 16
// As a version without the bound stored them.
await api.run(`
  insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
  select ${old.id}, gen_random_uuid(),
    '{"from":{"name":null,"address":"hello@old.test"},"to":[{"name":null,"address":"a@example.com"}],"cc":[],"bcc":[],"replyTo":[],"headers":[]}',
    'Old ' || n, tags, n || '@old.test', date_trunc('milliseconds', facteur_now()) - make_interval(mins => n), '2026-01-01'
  from generate_series(1, ${mails}) n,
    (select jsonb_object_agg('tag_' || i, md5(i::text)) as tags from generate_series(1, 30000) i) same`)
await api.run(`
  insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
  select workspace_id, id, 0, 'to', 'a@example.com', 'a@example.com', 'delivered', 'settled', 'transactional', created_at
  from message where workspace_id = ${old.id}`)

test('200: mails that are stored small and shown large are cut at 4 MB, read downwards and upwards', async () => {
  const pressed = await api.workspace('pressed')
  const head = JSON.stringify({
    ...{
      from: { name: 'x'.repeat(60_000), address: 'hello@pressed.test' },
      to: [{ name: null, address: 'a@example.com' }],
    },
    ...{ cc: [], bcc: [], replyTo: [], headers: [] },
  })
  await api.run(`
    insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
    select ${pressed.id}, gen_random_uuid(), '${head}', 'Pressed', n || '@pressed.test',
      date_trunc('milliseconds', facteur_now()) - make_interval(mins => n), '2026-01-01' from generate_series(1, 101) n`)
  await api.run(`
    insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
    select workspace_id, id, 0, 'to', 'a@example.com', 'a@example.com', 'delivered', 'settled', 'transactional', created_at
    from message where workspace_id = ${pressed.id}`)
  const { ids } = await readAll('/emails?limit=100', pressed)
  assert.equal(new Set(ids).size, 101)
  const upwards: string[] = []
  for (let before = ids.at(-1) ?? '', more = true; more;) {
    const page = await pageAt(`/emails?limit=100&before=${before}`, '', pressed)
    assert.ok(page.bytes <= limits.pageBytesMax + 1_000, `${page.bytes} bytes`)
    upwards.unshift(...page.ids)
    before = page.ids[0] ?? ''
    more = page.more
  }
  assert.deepEqual(upwards, ids.slice(0, -1))
})

test('202: 50 tags as an object, names of 256 characters; 422: one more, in a batch too', async () => {
  const object = (count: number, name = 'x'.repeat(250)): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 'v']))
  const send = (tags: unknown) =>
    ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: { ...mail, tags } })
  const sent = await send(object(50))
  assertAnswered(sent, 202)
  assert.equal(
    Object.keys(Object(at((await get(`/emails/${textAt(sent, 'id')}`)).body, 'tags'))).length,
    50,
  )
  assertRefused(await send(object(51)), 'validation_error', {
    path: 'tags',
    rule: 'maxProperties',
    limit: 50,
  })
  assertAnswered(await send({ ['é'.repeat(256)]: 'v' }), 202)
  assertRefused(await send({ ['😀'.repeat(257)]: 'v' }), 'validation_error', {
    path: 'tags',
    rule: 'tag_name',
    limit: 256,
  })
  const entry = { name: 'x'.repeat(257), value: 'v' }
  assertRefused(await send([entry]), 'validation_error', {
    path: 'tags.0.name',
    rule: 'maxLength',
    limit: 256,
  })
  const batch = await ask(api.baseUrl, 'POST /api/v1/emails/batch', {
    key: shop.key,
    body: [mail, { ...mail, tags: object(51) }],
  })
  assertRefused(batch, 'validation_error', { path: '1.tags', rule: 'maxProperties', limit: 50 })
})

test('422: a subscriber has 200 tags in all; those that are there stay, also where there were more', async () => {
  const add = (tags: string[], email = 'camille@example.com') =>
    ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email, tags, double_opt_in: false },
    })
  const some = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `tag ${from + index}`)
  for (let from = 0; from < 200; from += 20) assert.ok((await add(some(from, 20))).status < 300)
  assertRefused(await add(['one more']), 'validation_error', {
    path: 'tags',
    rule: 'tags_in_all',
    limit: 200,
  })
  const full = await add(some(0, 20))
  assertAnswered(full, 200)
  assert.equal(Object(at(full.body, 'tags')).length, 200)
  await api.run(
    `update subscriber set tags = tags || array(select 'old ' || i from generate_series(1, 3000) i) where workspace_id = ${shop.id}`,
  )
  assertRefused(await add(['one more']), 'validation_error', { rule: 'tags_in_all' })
  assert.equal(Object(at((await add(['old 7'])).body, 'tags')).length, 3_200)
  assert.equal(
    Object(at((await get('/subscribers/camille@example.com')).body, 'tags')).length,
    3_200,
  )
})
