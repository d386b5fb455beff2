/**
 * The list of the audience: its totals equal what is stored after any sequence of changes, and its
 * pages and counts hold whom status, text and definition select, in each order.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { audienceSorts } from '../../src/contract/workspace/audience-list.ts'
import { indexSubscribers } from '../../src/core/audience/subscribers/index-subscribers.ts'
import { subscriberStatuses } from '../../src/contract/subscribers.ts'
import { sql } from '../../src/database/client/sql.ts'
import { cleanUp } from '../../src/entrypoints/workers/clean-up.ts'
import { foldStatusTally } from '../../src/db/audience/status-tally.ts'
import { subscribe, updateSubscriberStatuses } from '../../src/db/audience/subscribers.ts'
import { recentCount } from '../../src/core/audience/segments/recent-counts.ts'
import { inTurnOfWorkspace } from '../../src/core/audience/segments/in-turn.ts'
import { segmentLimits } from '../../src/contract/workspace/segment-limits.ts'
import { callVerb } from '../support/call-verb.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const segmentConnections = 2
const api = await startApi({ entry: operatorEntryPoints(), segmentConnections })
const { db } = api.service
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const here = '/workspaces/acme/api/v1/audience'
const owner = await signIn(api, { in: { [acme.id]: 'owner', [other.id]: 'owner' } })

const add = (key: string, email: string, body: object = {}) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key,
    body: { email, double_opt_in: false, ...body },
  })
const totals = async (slug: string): Promise<Record<string, number>> =>
  at(
    (await owner.ask(`GET /workspaces/${slug}/api/v1/audience/totals`)).body,
    'statuses',
  ) as Record<string, number>
const stored = async (workspaceId: number): Promise<Record<string, number>> => {
  const rows = await db.rows<{ status: string; count: number }>(sql`
    select status, count(*)::int8 as count from subscriber where workspace_id = ${workspaceId} group by status`)
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  return Object.fromEntries(subscriberStatuses.map((status) => [status, counts.get(status) ?? 0]))
}
const find = (query: Record<string, string>) =>
  owner.ask(`GET ${here}/contacts?${new URLSearchParams(query).toString()}`)
const names = (body: unknown): string[] =>
  (at(body, 'data') as unknown[]).map((contact) => String(at(contact, 'email')).split('@')[0] ?? '')
const findAll = async (query: Record<string, string>): Promise<string[]> => {
  const results: string[] = []
  for (let cursor = ''; ;) {
    const page = await find({ ...query, limit: '2', ...(cursor !== '' && { cursor }) })
    assertAnswered(page, 200)
    results.push(...names(page.body))
    if (at(page.body, 'has_more') === false) return results
    cursor = textAt(page, 'next_cursor')
  }
}

const orderedByName = ['emil', 'carla', 'bert', 'abel']
const change = fc.record({
  act: fc.constantFrom('add', 'batch', 'move', 'subscribe', 'erase', 'fold', 'upsert'),
  number: fc.nat({ max: 11 }),
  isHere: fc.boolean(),
  status: fc.constantFrom('unsubscribed' as const, 'bounced' as const, 'complained' as const),
})

test('totals by status equal what is stored after any sequence of changes, in each workspace', async () => {
  const property = fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
    for (const { act, number, isHere, status } of changes) {
      const { id: workspaceId, key } = isHere ? acme : other
      const email = `p${number}@example.com`
      const id = await db.value<string>(
        sql`select id from subscriber where workspace_id = ${workspaceId} and email = ${email}`,
      )
      if (act === 'add') await add(key, email)
      if (act === 'upsert') await add(key, email, { firstName: 'A', tags: ['t'] })
      if (act === 'batch')
        await ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
          key,
          body: [0, 1, 2].map((next) => ({
            ...{ email: `p${(number + next) % 12}@example.com`, double_opt_in: false },
          })),
        })
      if (act === 'move')
        await updateSubscriberStatuses(db, workspaceId, [{ email, becomes: status }])
      if (act === 'subscribe' && id !== null) await subscribe(db, workspaceId, id)
      if (act === 'erase' && id !== null)
        await db.count(
          sql`delete from subscriber where workspace_id = ${workspaceId} and id = ${id}`,
        )
      if (act === 'fold')
        await foldStatusTally(db, workspaceId, { rowsMin: 1, days: 90, max: 5_000 })
    }
    assert.deepEqual(await totals('acme'), await stored(acme.id))
    assert.deepEqual(await totals('other'), await stored(other.id))
  })
  await fc.assert(property, { numRuns: 12 })
})

test('the days say how many were subscribed at the end of each; a fold leaves them', async () => {
  await db.count(sql`delete from subscriber where workspace_id = ${acme.id}`)
  await db.count(sql`delete from subscriber_status_tally where workspace_id = ${acme.id}`)
  await add(acme.key, 'a@example.com')
  await db.count(sql`
    insert into subscriber_status_tally (workspace_id, status, day, change)
    select ${acme.id}, 'subscribed', (facteur_now() at time zone 'UTC')::date - back, change
    from (values (400, 5), (31, 1), (30, 2), (1, -1)) old (back, change)`)
  const days = async (): Promise<number[]> =>
    (at((await owner.ask(`GET ${here}/totals`)).body, 'days') as unknown[]).map((day) =>
      Number(at(day, 'subscribed')),
    )
  const before = await days()
  assert.deepEqual(before, [8, ...Array.from({ length: 28 }, () => 8), 7, 8])
  await foldStatusTally(db, acme.id, { rowsMin: 1, days: 90, max: 5_000 })
  assert.deepEqual(await days(), before)
  const rows = await db.onlyValue<number>(
    sql`select count(*) as count from subscriber_status_tally where workspace_id = ${acme.id}`,
  )
  assert.equal(rows, 5)
})

test('the clean-up folds the changes, batch by batch', async () => {
  await db.count(sql`
    insert into subscriber_status_tally (workspace_id, status, day, change)
    select ${acme.id}, 'bounced', (facteur_now() at time zone 'UTC')::date, case when n > 6000 then 1 else -1 end
    from generate_series(1, 12000) n`)
  const before = await totals('acme')
  await cleanUp(api.service, new AbortController().signal)
  assert.deepEqual(await totals('acme'), before)
  const rows = sql`
    select count(*) as count from subscriber_status_tally where workspace_id = ${acme.id}`
  assert.ok((await db.onlyValue<number>(rows)) < 10)
})

test('pages hold whom status, text and definition select together, in each order', async () => {
  await db.count(sql`delete from subscriber where workspace_id = ${acme.id}`)
  for (const [name, body] of [
    ['carla', { tags: ['vip'], firstName: 'Zoe' }],
    ['abel', { tags: ['vip'] }],
    ['dora', {}],
    ['bert', { tags: ['vip'], double_opt_in: true }],
    ['emil', { tags: ['vip'] }],
  ] as const)
    assertAnswered(await add(acme.key, `${name}@example.com`, body), 201)
  await add(other.key, 'stranger@example.com', { tags: ['vip'] })
  const orders = {
    '-created': ['emil', 'bert', 'dora', 'abel', 'carla'],
    created: ['carla', 'abel', 'dora', 'bert', 'emil'],
    email: ['abel', 'bert', 'carla', 'dora', 'emil'],
    '-email': ['emil', 'dora', 'carla', 'bert', 'abel'],
  } satisfies Record<(typeof audienceSorts)[number], string[]>
  const definition = JSON.stringify({ tag: 'vip' })
  for (const sort of audienceSorts) {
    const all = orders[sort]
    assert.deepEqual(await findAll({ sort }), all, sort)
    const subscribed = all.filter((name) => name !== 'bert')
    assert.deepEqual(await findAll({ sort, status: 'subscribed' }), subscribed, sort)
    const vips = all.filter((name) => name !== 'dora')
    assert.deepEqual(await findAll({ sort, definition }), vips, sort)
    const both = vips.filter((name) => name !== 'bert')
    assert.deepEqual(await findAll({ sort, definition, status: 'subscribed' }), both, sort)
  }
})

test('a text is sought within a definition; counts say where they end', async () => {
  const count = (query: Record<string, string>) =>
    owner.ask(`GET ${here}/count?${new URLSearchParams(query).toString()}`)
  const definition = JSON.stringify({ tag: 'vip' })
  assertAnswered(await count({ definition }), 200, { count: 4, more: false })
  assertAnswered(await count({ status: 'pending' }), 200, { count: 1, more: false })
  assert.deepEqual(await findAll({ q: 'ZOE' }), ['carla'])
  while ((await indexSubscribers(api.service, acme.id)) > 0);
  assert.deepEqual(await findAll({ q: 'zo', definition }), ['carla'])
  assert.deepEqual(await findAll({ q: 'example', definition, sort: '-email' }), orderedByName)
  assertAnswered(await count({ q: 'zo', definition }), 200, { count: 1, more: false })
  assertAnswered(await count({ q: 'zo', status: 'pending' }), 200, { count: 0, more: false })
  assertRefused(await count({ definition: '{' }), 'validation_error')
  assertRefused(await find({ definition: '{"tag":1}' }), 'validation_error')
  assertRefused(await find({ sort: 'name' }), 'validation_error')
})

test('a segment as large as it may be is listed, counted, narrowed and changed; one that is gone is nobody', async () => {
  const conditions = [
    { tag: 'vip' },
    ...Array.from({ length: 12 }, () => ({ tag: 'a'.repeat(400) })),
  ]
  const make = (slug: string, name: string, definition: object) =>
    owner.ask(`POST /workspaces/${slug}/api/v1/audience/segments`, { body: { name, definition } })
  const large = await make('acme', 'Large', { none: [{ none: [{ any: conditions }] }] })
  const segment = textAt(large, 'id')
  const narrow = { segment, definition: '{"none":[{"none":[{"status":"subscribed"}]}]}' }
  assert.deepEqual(await findAll({ segment, sort: 'email' }), ['abel', 'bert', 'carla', 'emil'])
  assert.deepEqual(await findAll({ ...narrow, sort: 'email' }), ['abel', 'carla', 'emil'])
  const counted = await owner.ask(`GET ${here}/count?${new URLSearchParams(narrow).toString()}`)
  assertAnswered(counted, 200, { count: 3, more: false })
  const tag = (matching: object) =>
    owner.ask(`POST ${here}/bulk/tag`, { body: { selection: { matching }, tag: 'seen' } })
  assertAnswered(await tag({ segment, status: 'pending' }), 202, { contacts: 1 })
  assertAnswered(await tag({ segment, q: 'zoe' }), 202, { contacts: 1 })
  const strange = textAt(await make('other', 'Strange', { all: [] }), 'id')
  for (const gone of [strange, '00000000-0000-4000-8000-000000000000']) {
    const problem = { rule: 'unknown' }
    const inQuery = { errors: [{ path: 'segment', ...problem }] }
    assertRefused(await find({ segment: gone }), 'validation_error', inQuery)
    const count = await owner.ask(`GET ${here}/count?segment=${gone}`)
    assertRefused(count, 'validation_error', inQuery)
    const inBody = { errors: [{ path: 'selection.matching.segment', ...problem }] }
    assertRefused(await tag({ segment: gone }), 'validation_error', inBody)
  }
})

test('a count of the last minutes is counted once for all who ask for one', async () => {
  const count = (query: Record<string, string>) =>
    owner.ask(`GET ${here}/count?${new URLSearchParams(query).toString()}`)
  const definition = '{"tag":"counted"}'
  const body = { name: 'Counted', definition: { tag: 'counted' } }
  const segment = textAt(await owner.ask(`POST ${here}/segments`, { body }), 'id')
  const add1 = (name: string) => add(acme.key, `${name}@example.com`, { tags: ['counted'] })
  await add1('gail')
  const recent = { segment, recent: 'true' }
  const both = await Promise.all([count(recent), count(recent)])
  for (const answer of both) assertAnswered(answer, 200, { count: 1, more: false })
  await add1('hans')
  assertAnswered(await count(recent), 200, { count: 1, more: false })
  assertAnswered(await count({ definition }), 200, { count: 2, more: false })
  // A worker writes the search index, which a text is compared with, a moment later.
  await until(
    async () => at((await count({ segment, q: 'example' })).body, 'count'),
    (matches) => matches === 2,
  )
  const others = [{ status: 'subscribed' }, { q: 'example' }, { definition }]
  for (const more of others)
    assertAnswered(await count({ ...recent, ...more }), 200, { count: 2, more: false })
  await add1('ida')
  const typed = { definition, recent: 'true' }
  assertAnswered(await count(typed), 200, { count: 3, more: false })
  await add1('jack')
  assertAnswered(await count(typed), 200, { count: 4, more: false })
})

test('a shared count goes on where the one who asked first leaves', async () => {
  const body = { name: 'Shared', definition: { tag: 'shared' } }
  const segment = textAt(await owner.ask(`POST ${here}/segments`, { body }), 'id')
  const taken = Promise.withResolvers<void>()
  const turns = Array.from({ length: segmentLimits.countsAtOnceMax }, () =>
    inTurnOfWorkspace({ workspaceId: acme.id }, () => taken.promise),
  )
  const leaves = new AbortController()
  const query = { segment, recent: 'true' } as const
  const answers = [() => leaves.signal, undefined].map((left) =>
    callVerb({ ...api.service, left } as typeof api.service, acme.id, 'countFilteredContacts', {
      query,
    }),
  )
  leaves.abort()
  taken.resolve()
  await Promise.all(turns)
  for (const answer of await Promise.all(answers)) assert.equal(answer.count, 0)
})

test('a workspace has so many counts remembered, without those of another', async () => {
  let counted = 0
  const ask1 = (workspaceId: number, key: string) =>
    recentCount({ ...api.service, workspaceId }, { key, count: async () => ++counted })
  const first = await ask1(other.id, 'first')
  for (let n = 0; n < segmentLimits.recentMax; n++) await ask1(acme.id, `bound ${n}`)
  const before = counted
  await ask1(acme.id, 'bound 0')
  assert.equal(counted, before)
  await ask1(acme.id, 'one more')
  await ask1(acme.id, 'bound 0')
  assert.equal(counted, before + 2, 'the oldest is counted again')
  assert.equal(await ask1(other.id, 'first'), first)
})

test('the list waits for no count: every connection of segments is taken', async () => {
  const { segmentDb } = api.service
  const release = Promise.withResolvers<void>()
  const taken = Array.from({ length: segmentConnections }, () =>
    segmentDb.transaction(async (tx) => {
      await tx.ask(sql`select 1`)
      await release.promise
    }),
  )
  assert.deepEqual(await findAll({ status: 'pending' }), ['bert'])
  assert.equal((await findAll({ sort: 'email' })).length, 9)
  release.resolve()
  await Promise.all(taken)
})

test('a page goes on behind a contact who was erased meanwhile', async () => {
  const query = { sort: 'created', definition: '{"all":[]}', limit: '2' }
  const all = await findAll({ sort: 'created' })
  const first = await find(query)
  const [, last] = at(first.body, 'data') as unknown[]
  await db.count(sql`
    delete from subscriber where workspace_id = ${acme.id} and id = ${String(at(last, 'id'))}`)
  const second = await find({ ...query, cursor: textAt(first, 'next_cursor') })
  assertAnswered(second, 200)
  assert.deepEqual(names(second.body), all.slice(2, 4))
})
