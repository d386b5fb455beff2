/**
 * GET /api/v1/events: by polling, in the order of commit, nothing passed over (an extension;
 * docs/decisions/0017).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { stopClock, untilWaits } from '../support/database.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { setWorkspaceRetention } from '../../src/db/retention/retention-limits.ts'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import { until } from '../support/until.ts'

// Expired rows go at night, by the time of the process.
process.env['TZ'] = 'UTC'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const { db } = api.service
const create = { url: 'https://shop.example/', events: ['email.sent'], enabled: false }
assertAnswered(
  await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body: create }),
  201,
)
const publish = (n: number) =>
  db.transaction((tx) => publishEvents(tx, shop.id, [{ type: 'email.sent', data: { n } }]))
const poll = (query = '') => ask(api.baseUrl, `GET /api/v1/events${query}`, { key: shop.key })

interface Page {
  data: { id: string; data: { n: number } }[]
  has_more: boolean
  next_cursor: string
}

test('200: events of the types of a webhook, also a disabled one, oldest first, after an event and by pages', async () => {
  for (let n = 0; n < 5; n++) await publish(n)
  const first = (await poll('?limit=2')).body as Page
  assert.deepEqual([first.data.map(({ data }) => data.n), first.has_more], [[0, 1], true])
  assert.equal(first.next_cursor, first.data[1]?.id)
  const rest = (await poll(`?after=${first.next_cursor}`)).body as Page
  assert.deepEqual(
    [rest.data.map(({ data }) => data.n), rest.has_more, rest.next_cursor],
    [[2, 3, 4], false, ''],
  )
  const last = rest.data.at(-1)?.id ?? ''
  assert.deepEqual(((await poll(`?cursor=${last}`)).body as Page).data, [])
})

test('422 validation_error: an unknown event type', async () => {
  for (const query of ['after=evt_0', 'after=evt_019aa5a17f007c319a5e3b1f6c2d8e40', 'cursor=x'])
    assertRefused(await poll(`?${query}`), 'validation_error', { rule: 'event' })
})

test('a reader waits for publishers under way: an event that commits later has a later place, also when the clock goes back', async () => {
  const before = ((await poll()).body as Page).data.at(-1)?.id ?? ''
  const published = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const slow = db.transaction(async (tx) => {
    await publishEvents(tx, shop.id, [{ type: 'email.sent', data: { n: 100 } }])
    published.resolve()
    await release.promise
  })
  await published.promise
  const reading = poll(`?after=${before}`)
  let isRead = false
  void reading.then(() => (isRead = true))
  await untilWaits(api.database.url, '')
  assert.equal(isRead, false)
  release.resolve()
  await slow
  assert.deepEqual(
    ((await reading).body as Page).data.map(({ data }) => data.n),
    [100],
  )
  await api.moveClock('-1 hour')
  await publish(101)
  assert.deepEqual(
    ((await poll(`?after=${before}`)).body as Page).data.map(({ data }) => data.n),
    [100, 101],
  )
  assert.ok(textAt(await poll(`?after=${before}`), 'object') === 'list')
})

test('many publish at once, and a reader goes on after the last event that it read: it reads each event once', async () => {
  let after = ((await poll('?limit=100')).body as Page).data.at(-1)?.id ?? ''
  const known: number[] = []
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted || ((await poll(`?after=${after}`)).body as Page).data.length > 0) {
      const { data } = (await poll(`?after=${after}&limit=7`)).body as Page
      known.push(...data.map((event) => event.data.n))
      after = data.at(-1)?.id ?? after
    }
  })()
  // Seven at a time, so that the reader comes between them.
  const publishers = Array.from({ length: 7 }, async (_, first) => {
    for (let n = first; n < 60; n += 7) await publish(1_000 + n)
  })
  await Promise.all(publishers)
  over.abort()
  await reading
  assert.deepEqual(
    known.toSorted((a, b) => a - b),
    Array.from({ length: 60 }, (_, n) => 1_000 + n),
  )
})

test('behind expired events: the oldest that is stored comes first; 422 after one that expired. The workers delete it at night', async () => {
  const expired = ((await poll('?limit=1')).body as Page).data[0]?.id ?? ''
  await setWorkspaceRetention(db, shop.id, 'events', 7)
  await api.moveClock('6 days')
  await publish(200)
  await stopClock(
    api.database.url,
    `${new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10)}T02:00:00Z`,
  )
  await publish(201)
  const reads = async (): Promise<void> => {
    const first = (await poll('?limit=1')).body as Page
    assert.deepEqual([first.data.map(({ data }) => data.n), first.has_more], [[200], true])
    const rest = (await poll(`?cursor=${first.next_cursor}`)).body as Page
    assert.deepEqual([rest.data.map(({ data }) => data.n), rest.has_more], [[201], false])
    for (const query of ['after', 'cursor'])
      assertRefused(await poll(`?${query}=${expired}`), 'validation_error', {
        path: query,
        rule: 'event',
      })
  }
  const stored = (): Promise<number> =>
    db.onlyValue<number>(sql`select count(*)::int from event where workspace_id = ${shop.id}`)
  assert.ok((await stored()) > 5)
  await reads()
  const workers = startWorkers(api.service)
  try {
    // The partitions of eight days are made first, which takes a cluster some time.
    await until(stored, (count) => count === 2, 120_000)
  } finally {
    await workers.stop(10_000)
  }
  await reads()
})
