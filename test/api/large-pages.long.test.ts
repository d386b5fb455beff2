/** Lists whose entries are as large as they may be are read page by page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { subscribersOf } from '../../src/db/audience/subscriber-search.ts'
import { deliveryPage } from '../../src/db/webhooks/webhook-journal.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
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

/** Runs `work`; `grown`: the largest growth of resident memory meanwhile, in bytes. */
async function peakOf<T>(work: () => Promise<T>): Promise<{ result: T; grown: number }> {
  const before = process.memoryUsage().rss
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
  const result = await work().finally(() => clearInterval(timer))
  return { result, grown: Math.max(peak, process.memoryUsage().rss) - before }
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

test('200: of 16 mails with 30,000 tags each, written by an older version, a page holds what fits; the memory is bounded', async (t) => {
  const { result, grown } = await peakOf(async () => {
    const first = await pageAt('/emails?limit=100', '', old)
    return [first, await pageAt('/emails?limit=100', first.next, old)]
  })
  for (const page of result) {
    // Each mail is more than 1 MB by itself.
    assert.ok(
      page.ids.length <= 4 && page.bytes > 1_000_000,
      `${page.ids.length} mails, ${page.bytes} bytes`,
    )
    assert.ok(
      page.ids.length === 1 || page.bytes <= limits.pageBytesMax + 1_000,
      `${page.bytes} bytes`,
    )
    assert.ok(page.more)
  }
  assert.equal(
    new Set(result.flatMap(({ ids }) => ids)).size,
    result.flatMap(({ ids }) => ids).length,
  )
  t.diagnostic(`the process grew by ${Math.round(grown / 1024 / 1024)} MB`)
  assert.ok(grown < 200 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MB more`)
})

test('200: the same upwards from the oldest, by tag, alone, and in the list of all messages', async () => {
  const rows = await api.service.db.rows<{ id: string }>(sql`
    select id from message where workspace_id = ${old.id} order by created_at, id limit 2`)
  const [oldest = '', next = ''] = rows.map(({ id }) => id)
  const upwards = await pageAt(`/emails?limit=100&before=${oldest}`, '', old)
  assert.equal(upwards.ids.at(-1), next)
  assert.ok(upwards.more && upwards.ids.length <= 4, `${upwards.ids.length} mails`)
  const tagged = await pageAt('/emails?limit=100&tag=tag_7', '', old)
  assert.ok(tagged.more && tagged.ids.length <= 4, `${tagged.ids.length} mails`)
  assertAnswered(await get(`/emails/${oldest}`, old), 200)
  const listed = await viewer.ask('GET /workspaces/old/api/v1/messages?limit=100')
  assertAnswered(listed, 200, { has_more: true })
  assert.ok(Object(at(listed.body, 'data')).length <= 4)
})

test('200: subscribers with all that they may have are read page by page', async () => {
  await api.run(`
    insert into subscriber (workspace_id, id, email, status, first_name, tags, fields, source, created_at, updated_at)
    select ${crowd.id}, ('019aa5a1-7f00-7c31-9a5e-' || lpad(to_hex(n), 12, '0'))::uuid, 'reader' || n || '@example.com', 'subscribed', 'Camille',
      array(select repeat('é', 57) || i from generate_series(100, 299) i),
      (select jsonb_object_agg('field_' || i, repeat('😀', 500)) from generate_series(1, 100) i), 'api', facteur_now(), facteur_now()
    from generate_series(1, 60) n`)
  // As newcomers whom the search has not indexed yet.
  await api.run(`
    insert into subscriber_search_pending (workspace_id, subscriber_id) select workspace_id, id from subscriber where workspace_id = ${crowd.id}`)
  const everybody = await api.service.db.rows<{ id: string }>(
    sql`select id from subscriber where workspace_id = ${crowd.id}`,
  )
  const read = await subscribersOf(
    api.service.db,
    crowd.id,
    everybody.map(({ id }) => id),
  )
  assert.ok(read.length < 30 && read[0]?.uncutCount === 60, `${read.length} rows read`)
  const audience = '/workspaces/crowd/api/v1/subscribers?limit=100'
  for (const path of [
    '/subscribers?limit=100',
    '/subscribers?limit=100&status=subscribed',
    '/subscribers?limit=100&q=reader',
    audience,
    `${audience}&q=reader`,
    `${audience}&tag=${encodeURIComponent('é'.repeat(57))}100`,
  ]) {
    const { ids, pages } = await readAll(path, crowd)
    assert.equal(new Set(ids).size, 60)
    assert.equal(ids.length, 60)
    assert.ok(pages >= 3, `${pages} pages`)
  }
})

/** The beginning of identifiers of the present: what is older than a month has expired. */
const now = Date.now().toString(16).padStart(12, '0')
const idsOfNow = `${now.slice(0, 8)}-${now.slice(8)}-7c31-9a5e-`

test('200: deliveries with fifty long answers each are read page by page; the journal shows them without their answers', async () => {
  const webhook = await ask(api.baseUrl, 'POST /api/v1/webhooks', {
    key: called.key,
    body: { url: 'http://127.0.0.1:1/', events: ['email.sent'], enabled: false },
  })
  const id = textAt(webhook, 'id')
  const attempt = {
    attempt: 1,
    at: '2026-01-01T00:00:00.000Z',
    status: 500,
    answer: 'é'.repeat(1_000),
    error: 'e',
    duration_ms: 1,
  }
  const log = JSON.stringify(Array.from({ length: 50 }, () => attempt))
  await api.run(`
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, response_status, response_body, attempt_log, created_at)
    select ${called.id}, '${id}', ('${idsOfNow}' || lpad(to_hex(n), 12, '0'))::uuid, 'email.sent', 'failed', 50, 500,
      '', '${log}', facteur_now() from generate_series(1, 100) n`)
  const { ids, pages } = await readAll(`/webhooks/${id}/deliveries?limit=100`, called)
  assert.equal(new Set(ids).size, 100)
  assert.ok(pages >= 3, `${pages} pages`)
  const read = await deliveryPage(api.service.db, called.id, id, { max: 101, before: null })
  assert.ok(read.length < 60 && read[0]?.uncutCount === 100, `${read.length} rows read`)
  const journal = await pageAt(`/workspaces/called/api/v1/webhooks/${id}/journal?limit=100`, '')
  assert.equal(journal.ids.length, 100)
  assert.ok(journal.bytes < 100_000, `${journal.bytes} bytes`)
})

test('200: events with large bodies are read page by page, each once and in order', async () => {
  const busy = await api.workspace('busy')
  await api.run(`
    insert into event (workspace_id, id, place, type, body, created_at)
    select ${busy.id}, ('${idsOfNow}' || lpad(to_hex(n), 12, '0'))::uuid, nextval('event_order'), 'email.sent',
      '{"id":"evt_${idsOfNow.replaceAll('-', '')}' || lpad(to_hex(n), 12, '0') || '","type":"email.sent","created_at":"2026-01-01T00:00:00.000Z","data":{"x":"'
        || (select string_agg(md5((i * n)::text), '') from generate_series(1, 8000) i) || '"}}', facteur_now()
    from generate_series(1, 60) n`)
  const { ids, pages } = await readAll('/events?limit=100', busy)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, 60)
  assert.ok(pages >= 4, `${pages} pages`)
})

test('200: campaigns that are larger than any that is taken today are read page by page', async () => {
  const wide = await api.workspace('wide')
  await api.run(`
    insert into campaign (workspace_id, id, name, subject, format, source, status, track_opens, track_clicks, created_at, updated_at)
    select ${wide.id}, ('019aa5a1-7f00-7c31-9a5e-' || lpad(to_hex(n), 12, '0'))::uuid, 'Campaign ' || n, repeat('é', 45000), 'text', '"x"',
      'draft', false, false, facteur_now(), facteur_now() from generate_series(1, 100) n`)
  const { ids, pages } = await readAll('/campaigns?limit=100', wide)
  assert.equal(new Set(ids).size, 100)
  assert.ok(pages >= 3, `${pages} pages`)
})
