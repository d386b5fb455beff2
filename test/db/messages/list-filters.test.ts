/**
 * GET /emails against a model: any filter, any page, in either direction, gives what looking
 * through everything would give.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../../src/database/client/sql.ts'
import { readMessageNeedle } from '../../../src/core/message-index/message-text.ts'
import { writeIndex } from '../../../src/core/message-index/index-messages.ts'
import { messagesToIndex } from '../../../src/db/messages/message-search.ts'
import type { MessageFilter } from '../../../src/db/messages/message-filter.ts'
import { messagePage } from '../../../src/db/messages/message-list.ts'
import { firstIdAt } from '../../../src/ground/ids.ts'
import { startApi } from '../../support/api.ts'
import { accepted } from '../../support/relay-world.ts'

const api = await startApi({ workers: false })
const { db } = api.service
const workspace = await api.workspace('list')
const stranger = await api.workspace('stranger')

const statuses = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const
const addresses = ['a@example.com', 'b@example.com', 'c@example.com']

interface Listed {
  id: string
  at: string
  statuses: string[]
  to: string[]
  tags: Record<string, string>
}

/**
 * Fifty messages whose recipients have all kinds of outcomes. Three of every other day have the
 * same time; of the other days, a clock that goes wrong stamped the identifiers of later ones with
 * earlier times.
 */
const listed: Listed[] = []
for (let number = 0; number < 50; number++) {
  const to = addresses.filter((_, index) => (number + index) % (index + 2) === 0)
  const tags: Record<string, string> =
    number % 3 === 0 ? { order: String(number % 5), [`n${number % 2}`]: 'x' } : {}
  const of = number % 10 === 9 ? stranger : workspace
  const acceptedId = await accepted(api, of, { to: to.length > 0 ? to : ['d@example.com'], tags })
  const days = Math.floor(number / 3)
  const lateMs = days % 2 === 0 ? 0 : (number % 3) * 60_000
  const atMs = Date.UTC(2026, 0, 1) + days * 86_400_000 + lateMs
  const at = new Date(atMs).toISOString()
  const id = firstIdAt(atMs - 2 * lateMs).slice(0, 13) + acceptedId.slice(13)
  await db.count(
    sql`update message set created_at = ${at}, id = ${id} where workspace_id = ${of.id} and id = ${acceptedId}`,
  )
  await db.count(
    sql`update recipient set message_id = ${id} where workspace_id = ${of.id} and message_id = ${acceptedId}`,
  )
  const ends = Array.from(
    { length: Math.max(1, to.length) },
    (_, index) => statuses[(number * 7 + index * 3) % 6] ?? 'queued',
  )
  for (const [position, status] of ends.entries()) {
    await db.count(sql`
      update recipient set status = ${status}, state = case when ${status} = 'queued' then 'pending' else 'settled' end, sent_at = ${at}
      where workspace_id = ${of.id} and message_id = ${id} and position = ${position}`)
  }
  if (of === workspace)
    listed.push({ id, at, statuses: ends, to: to.length > 0 ? to : ['d@example.com'], tags })
}
/** Newest first. */
listed.sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))

const statusOf = (message: Listed): string | undefined =>
  ['complained', 'bounced', 'failed', 'queued', 'sent', 'delivered'].find((status) =>
    message.statuses.includes(status),
  )

const passes = (filter: MessageFilter, message: Listed): boolean =>
  (filter.status === null || statusOf(message) === filter.status) &&
  (filter.recipient === null || message.to.includes(filter.recipient)) &&
  (filter.tagName === null ||
    (filter.tagValue === null
      ? Object.hasOwn(message.tags, filter.tagName)
      : message.tags[filter.tagName] === filter.tagValue)) &&
  (filter.since === null || message.at >= filter.since) &&
  (filter.until === null || message.at < filter.until)

const day = fc
  .integer({ min: -1, max: 18 })
  .map((days) => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString())
/** Half of the time: a frequency of one would mean never. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })
const anyFilter: fc.Arbitrary<MessageFilter> = fc
  .record({
    status: sometimes(fc.constantFrom(...statuses)),
    recipient: sometimes(fc.constantFrom(...addresses, 'd@example.com', 'nobody@example.com')),
    tagName: sometimes(fc.constantFrom('order', 'n0', 'n1', 'none')),
    tagValue: sometimes(fc.constantFrom('0', '1', 'x', 'none')),
    since: sometimes(day),
    until: sometimes(day),
  })
  .map((filter) => ({ ...filter, tagGrams: tagGramsOf(filter) }))
/** As a caller's tag is looked up. */
const tagGramsOf = ({
  tagName,
  tagValue,
}: Pick<MessageFilter, 'tagName' | 'tagValue'>): number[] => {
  const tag = tagName === null ? null : tagValue === null ? tagName : `${tagName}:${tagValue}`
  return readMessageNeedle(workspace.id, { recipient: null, subject: null, tag })?.grams ?? []
}

const readsDownwards = (filters: fc.Arbitrary<MessageFilter>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, max) => {
      const known: string[] = []
      for (let before: { at: string; id: string } | null = null; ;) {
        const rows: Awaited<ReturnType<typeof messagePage>> = await messagePage(
          db,
          workspace.id,
          filter,
          {
            max,
            before,
            after: null,
          },
        )
        known.push(...rows.map((row) => row.id))
        const last = rows.at(-1)
        if (!last || rows.length < max) break
        before = { at: last.createdAt.toISOString(), id: last.id }
      }
      assert.deepEqual(
        known,
        listed.filter((message) => passes(filter, message)).map(({ id }) => id),
      )
    }),
    { numRuns },
  )

const readsUpwards = (filters: fc.Arbitrary<MessageFilter>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(
      filters,
      fc.nat(listed.length - 1),
      fc.integer({ min: 1, max: 20 }),
      async (filter, from, max) => {
        const after = listed[from] ?? assert.fail()
        const rows = await messagePage(db, workspace.id, filter, { max, before: null, after })
        assert.deepEqual(
          rows.map((row) => row.id),
          listed
            .slice(0, from)
            .filter((message) => passes(filter, message))
            .slice(-max)
            .map(({ id }) => id),
        )
      },
    ),
    { numRuns },
  )

test('any filter: page by page downwards, each entry once, in order', () =>
  readsDownwards(anyFilter, 120))

test('any filter, from any place upwards: the nearest above it, newest first', () =>
  readsUpwards(anyFilter, 120))

test('a tag beyond thousands of messages without it, in either direction, where the search index has only the older half', async () => {
  await db.count(sql`
    insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
    select ${workspace.id}, facteur_events_from(at), '{}', 'x', 'x', at, '2026-01-01'
    from generate_series(1, 6000) n cross join lateral (select timestamptz '2026-01-08 12:00Z' + n * interval '1 ms' as at) t`)
  // All that the mark promises, but for those without a tag.
  const indexed = listed.filter(({ at }) => at < '2026-01-08T12:00').map(({ id }) => id)
  await writeIndex(db, workspace.id, await messagesToIndex(db, workspace.id, indexed))
  await db.count(
    sql`insert into message_search_mark (workspace_id, sure_to) values (${workspace.id}, '2026-01-08 12:00Z')`,
  )
  const tagged = anyFilter.filter(
    ({ tagName, recipient }) => tagName !== null && recipient === null,
  )
  await readsDownwards(tagged, 40)
  await readsUpwards(tagged, 40)
})

test('a status or an address beyond thousands of other messages, in either direction', async () => {
  const led = anyFilter.filter(
    ({ status, recipient, tagName }) => tagName === null && (status !== null || recipient !== null),
  )
  await readsDownwards(led, 60)
  await readsUpwards(led, 60)
})
