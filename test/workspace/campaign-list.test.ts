/**
 * The list of campaigns as members sort and narrow it: by date and by name, both ways, across pages,
 * in each workspace, and by days.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignSorts } from '../../src/contract/workspace/drafts.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const viewer = await signIn(api, { in: { [shop.id]: 'viewer', [other.id]: 'viewer' } })

const idOf = (number: number): string =>
  `01990000-0000-7000-8000-${String(number).padStart(12, '0')}`
const day = (number: number): string => `2026-03-0${number}T12:00:00.000001Z`
interface Stored {
  name: string
  scheduled?: number
  sent?: number
  updated: number
  status?: string
}
/** By their position; the dates of the list are days of March. */
const stored: Stored[] = [
  { name: 'bleu', updated: 2 },
  { name: 'Ambre', updated: 9, sent: 4, status: 'sent' },
  { name: 'ambre', updated: 4 },
  { name: 'AMBRE', updated: 1, scheduled: 7, status: 'scheduled' },
  { name: 'cyan', updated: 9, sent: 5, scheduled: 4, status: 'sent' },
  { name: 'bleu', updated: 4 },
  { name: 'archived', updated: 3, status: 'archived' },
]
const add = async (workspaceId: number, campaigns: Stored[]): Promise<void> => {
  for (const [number, campaign] of campaigns.entries()) {
    const { name, updated, status = 'draft' } = campaign
    const [scheduled, sent] = [campaign.scheduled, campaign.sent].map((each) =>
      each === undefined ? null : day(each),
    )
    await db.count(sql`
      insert into campaign (workspace_id, id, name, subject, format, source, status, scheduled_at, sent_at,
        created_at, updated_at)
      values (${workspaceId}, ${idOf(number)}, ${name}, 'News', 'text', '{"text":"Hello"}', ${status},
        ${scheduled}::timestamptz, ${sent}::timestamptz, facteur_now(), ${day(updated)}::timestamptz)`)
  }
}
await add(shop.id, stored)
await add(other.id, [{ name: 'ambre', updated: 4 }])

const find = (query: Record<string, string>, slug = 'shop') =>
  viewer.ask(`GET /workspaces/${slug}/api/v1/campaigns?${new URLSearchParams(query).toString()}`)
const idsIn = (body: unknown): string[] =>
  (at(body, 'data') as { id: string }[]).map(({ id }) => id)
/** Positions of those found, two on a page. */
const listed = async (query: Record<string, string>, slug = 'shop'): Promise<number[]> => {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const page = await find({ ...query, limit: '2', ...(cursor !== '' && { cursor }) }, slug)
    assertAnswered(page, 200)
    ids.push(...idsIn(page.body))
    if (at(page.body, 'has_more') === false) return ids.map((id) => Number(id.slice(-12)))
    cursor = textAt(page, 'next_cursor')
  }
}

test('200: by date and by name, both ways, equal ones by their time of creation', async () => {
  const byDate = [0, 1, 2, 4, 5, 3]
  const byName = [1, 2, 3, 0, 5, 4]
  assert.deepEqual(await listed({ sort: 'date' }), byDate)
  assert.deepEqual(await listed({ sort: '-date' }), byDate.toReversed())
  assert.deepEqual(await listed({ sort: 'name' }), byName)
  assert.deepEqual(await listed({ sort: '-name' }), byName.toReversed())
  assert.deepEqual(await listed({}), [5, 4, 3, 2, 1, 0])
  assert.deepEqual(await listed({ sort: '-created' }), [5, 4, 3, 2, 1, 0])
  assert.deepEqual(await listed({ sort: 'name', status: 'draft', q: 'e' }), [2, 0, 5])
  assert.deepEqual(await listed({ sort: '-date', status: 'archived' }), [6])
  for (const sort of campaignSorts) assert.deepEqual(await listed({ sort }, 'other'), [0])
})

test('200: from a moment on and up to before another, by the date that the list shows', async () => {
  const days = { since: day(4), until: day(7) }
  for (const [sort, expected] of [
    ['date', [1, 2, 4, 5]],
    ['-date', [5, 4, 2, 1]],
    ['name', [1, 2, 5, 4]],
    ['-created', [5, 4, 2, 1]],
  ] as const)
    assert.deepEqual(await listed({ sort, ...days }), expected)
  assert.deepEqual(await listed({ since: day(7) }), [3])
  assert.deepEqual(await listed({ until: day(4), sort: 'date' }), [0])
  assert.deepEqual(await listed({ ...days, status: 'sent', q: 'AMB' }), [1])
  const totals = await viewer.ask(
    `GET /workspaces/shop/api/v1/campaign-totals?${new URLSearchParams(days).toString()}`,
  )
  assertAnswered(totals, 200)
  assert.equal(at(totals.body, 'all', 'count'), 4)
  assert.equal(at(totals.body, 'statuses', 'draft', 'count'), 2)
  assert.equal(at(totals.body, 'statuses', 'scheduled', 'count'), 0)
})

test('a date that changes between two pages moves neither of them', async () => {
  const first = await find({ sort: 'date', limit: '2' })
  assert.deepEqual(idsIn(first.body), [idOf(0), idOf(1)])
  await db.count(sql`
    update campaign set sent_at = ${day(8)}::timestamptz where workspace_id = ${shop.id} and id = ${idOf(1)}`)
  const next = await find({ sort: 'date', limit: '2', cursor: textAt(first, 'next_cursor') })
  assert.deepEqual(idsIn(next.body), [idOf(2), idOf(4)])
  await db.count(sql`
    update campaign set sent_at = ${day(4)}::timestamptz where workspace_id = ${shop.id} and id = ${idOf(1)}`)
})

test('after an identifier a sorted list goes on behind its campaign', async () => {
  const after = { after: idOf(2), limit: '2' }
  assert.deepEqual(idsIn((await find({ ...after, sort: 'date' })).body), [idOf(4), idOf(5)])
  assert.deepEqual(idsIn((await find({ ...after, sort: 'name' })).body), [idOf(3), idOf(0)])
})

test('422: a cursor of another order or a deleted campaign, a time that is none, an unknown order', async () => {
  const byName = await find({ sort: 'name', limit: '1' })
  const cursor = textAt(byName, 'next_cursor')
  for (const query of [
    { sort: '-name', cursor },
    { sort: 'name', cursor, since: day(1) },
    { sort: 'name', after: idOf(99) },
    { sort: 'subject' },
    { since: 'yesterday' },
    { until: 'today' },
  ] as Record<string, string>[])
    assertRefused(await find(query), 'validation_error')
  await db.count(sql`delete from campaign where workspace_id = ${shop.id} and id = ${idOf(1)}`)
  assertRefused(await find({ sort: 'name', cursor }), 'validation_error')
})

test('the list of a key stays newest first, with the archived', async () => {
  const byKey = (query: string) =>
    ask(api.baseUrl, `GET /api/v1/campaigns?${query}`, { key: shop.key })
  const answer = await byKey('limit=2')
  assert.deepEqual(idsIn(answer.body), [idOf(6), idOf(5)])
  assert.deepEqual((await byKey('limit=2&sort=name&until=2026-03-03T00:00:00Z')).body, answer.body)
})
