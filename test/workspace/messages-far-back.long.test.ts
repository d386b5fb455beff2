/**
 * The log where much lies far back: a page looks at so much and no more, leads on from there, and
 * leaves nothing out.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { indexMessages } from '../../src/core/message-index/index-messages.ts'
import { sql } from '../../src/database/client/sql.ts'
import { firstIdAt } from '../../src/ground/ids.ts'
import { startIndexingMessages } from '../../src/entrypoints/workers/index-messages.ts'
import { startApi } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const shop = await api.workspace('shop', { ratePerMinute: 100_000 })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })

const [all, sent] = [14_000, 3_100]
await api.run(`
  insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
  select ${shop.id}, (left(facteur_events_from(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
    '{"from":{"name":null,"address":"hello@shop.test"},"to":[],"cc":[],"bcc":[],"replyTo":[],"headers":[]}',
    case when n <= ${sent} then 'An ancient story' else 'News' end, n || '@shop.test', at, '2026-01-01'
  from generate_series(1, ${all}) n cross join lateral (select timestamptz '2026-01-01 00:00Z' + n * interval '1 second' as at) t`)
await api.run(`
  insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, attempts)
  select workspace_id, id, 0, 'to', message_id, message_id, case when subject <> 'News' then 'sent' when created_at < '2026-01-01 01:00Z' then 'bounced' else 'delivered' end, 'settled',
    'transactional', created_at, 1
  from message where workspace_id = ${shop.id}`)

async function walk(query: string): Promise<{ matches: string[]; pages: number; empty: number }> {
  const matches: string[] = []
  let [pages, empty] = [0, 0]
  for (let cursor = ''; ;) {
    const answer = await viewer.ask(
      `GET /workspaces/shop/api/v1/messages?limit=100&${query}${cursor && `&cursor=${cursor}`}`,
    )
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const page = answer.body as AnswerOf<'listMessages'>['body']
    matches.push(...page.data.map(({ id }) => id))
    pages++
    if (page.data.length === 0) empty++
    if (!page.has_more) return { matches, pages, empty }
    cursor = page.next_cursor
  }
}

const idOf = (number: number): string =>
  firstIdAt(Date.UTC(2026, 0, 1) + number * 1_000).slice(0, 24) +
  number.toString(16).padStart(12, '0')
const oldest = Array.from({ length: sent }, (_, n) => idOf(sent - n))

test('a status with an index in the order of the log: each page is full, however far back', async () => {
  const { matches: result, empty } = await walk('status=bounced')
  assert.equal(empty, 0)
  assert.deepEqual(
    result,
    Array.from({ length: 3_599 - sent }, (_, n) => idOf(3_599 - n)),
  )
})

test('a status that many have, all of them far back: the first page leads on, and every one is found once, newest first', async () => {
  const { matches: result, empty } = await walk('status=sent')
  assert.ok(empty > 0, 'there is more to look at than one page may')
  assert.deepEqual(result, oldest)
})

test('a word of many far back is found too, also together with a status, and none is left out', async () => {
  while (!(await indexMessages(api.service, { workspaceId: shop.id })));
  assert.deepEqual((await walk('subject=ancient')).matches, oldest)
  assert.deepEqual((await walk('subject=ancient&status=sent')).matches, oldest)
  assert.deepEqual((await walk('subject=ancient&status=delivered')).matches, [])
})

test('workers that start index messages accepted months ago, of a workspace that has accepted nothing since', async () => {
  const idle = await api.workspace('idle')
  const insert = (number: number) =>
    api.run(`
      insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
      values (${idle.id}, gen_random_uuid(), '{}', '', '${number}', timestamptz '2026-01-01' + ${number} * interval '1 day', '2026-01-01')`)
  const indexed = async () =>
    (
      await api.service.db.rows<{ n: number }>(
        sql`select count(*) as n from message_search where workspace_id = ${idle.id}`,
      )
    )[0]?.n
  for (const number of [1, 2]) {
    await insert(number)
    const stopping = new AbortController()
    const work = startIndexingMessages(api.service, stopping.signal)
    await until(indexed, (observed) => observed === number)
    stopping.abort()
    await work
  }
})

test('a mark that came with a workspace from another server, whose transactions have higher numbers, goes on here', async () => {
  const moved = await api.workspace('moved')
  await api.run(`
    insert into message_search_mark (workspace_id, sure_to, asked_at, asked_xid)
    values (${moved.id}, timestamptz '2026-01-01', timestamptz '2026-06-01', '9000000000000000000')`)
  const sureTo = async () =>
    (
      await api.service.db.rows<{ at: string }>(
        sql`select sure_to::text as at from message_search_mark where workspace_id = ${moved.id}`,
      )
    )[0]?.at ?? ''
  const before = await sureTo()
  await until(
    async () => (await indexMessages(api.service, { workspaceId: moved.id }), sureTo()),
    (at) => at > before,
  )
})
