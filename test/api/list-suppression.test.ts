/** `GET /suppression`: the list, newest first, and the look-up of one address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const list = (query = '', key = shop.key) =>
  ask(api.baseUrl, `GET /api/v1/suppression${query}`, { key })
const emailsOf = (body: unknown): string[] =>
  Object(body).data.map(({ email }: { email: string }) => email)

const newestFirst = ['e', 'd', 'c', 'b', 'a'].map((letter) => `${letter}@example.com`)
for (const email of newestFirst.toReversed()) await shop.suppress(email, 'manual')

test('200: the envelope of a list, newest first', async () => {
  const { body } = await list()
  assert.partialDeepStrictEqual(body, { object: 'list', has_more: false, next_cursor: '' })
  assert.deepEqual(emailsOf(body), newestFirst)
})

test('200: page by page, each entry once', async () => {
  const known: string[] = []
  for (let cursor = ''; ;) {
    const answer = await list(`?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    known.push(...emailsOf(answer.body))
    cursor = textAt(answer, 'next_cursor')
    if (cursor === '') break
  }
  assert.deepEqual(known, newestFirst)
})

test('200, 422: one entry by its identifier, and those behind one; of this workspace alone', async () => {
  const { body } = await list()
  const [, second] = Object(body).data
  const answer = await list(`?id=${second.id}`)
  assert.deepEqual([Object(answer.body).data, Object(answer.body).has_more], [[second], false])
  assert.deepEqual(emailsOf((await list(`?after=${second.id}`)).body), newestFirst.slice(2))
  const { key } = await api.workspace('beside')
  assert.deepEqual(emailsOf((await list(`?id=${second.id}`, key)).body), [])
  assertRefused(await list(`?after=${second.id}`, key), 'validation_error', { rule: 'known_id' })
  await api.run(`with gone as (delete from suppression where id = '${second.id}' returning *)
    insert into erased_suppression (workspace_id, digest, id, reason, created_at) select workspace_id, '', id, reason, created_at from gone`)
  assert.deepEqual(emailsOf((await list(`?id=${second.id}`)).body), ['erased@invalid'])
  assert.deepEqual(emailsOf((await list(`?after=${second.id}`)).body), newestFirst.slice(2))
  await api.run(`with back as (delete from erased_suppression where id = '${second.id}' returning *)
    insert into suppression (workspace_id, email, id, reason, created_at) select workspace_id, '${second.email}', id, reason, created_at from back`)
})

test('200: one address, in any case', async () => {
  const { body } = await list('?email=C%40EXAMPLE.com')
  assert.partialDeepStrictEqual(body, {
    object: 'list',
    data: [
      { object: 'suppression', email: 'c@example.com', reason: 'manual', scope: 'organization' },
    ],
  })
  assert.equal(emailsOf(body).length, 1)
})

test('200: an address that is not suppressed gives an empty list', async () => {
  assertAnswered(await list('?email=free%40example.com'), 200, {
    data: [],
    has_more: false,
    next_cursor: '',
  })
})

test('200: an exclusion of the whole platform shows on look-up only', async () => {
  await api.suppressOnPlatform('platform@example.com')
  assertAnswered(await list('?email=platform%40example.com'), 200, {
    data: [{ email: 'platform@example.com', scope: 'platform' }],
  })
  assert.deepEqual(emailsOf((await list()).body), newestFirst)
})

test('200: the look-up of one address is whole, so that a client that pages ends', async () => {
  await api.suppressOnPlatform('both@example.com')
  const twice = await api.workspace('twice')
  await twice.suppress('both@example.com', 'manual')
  const answer = await list('?email=both%40example.com&limit=1', twice.key)
  assertAnswered(answer, 200, { has_more: false, next_cursor: '' })
  assert.deepEqual(emailsOf(answer.body), ['both@example.com', 'both@example.com'])
})

test('422 suppressed_recipient: an exclusion of the whole platform refuses a send', async () => {
  await api.suppressOnPlatform('platform@example.com')
  const body = { from: 'hello@shop.test', to: 'platform@example.com', subject: 's', text: 't' }
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }),
    'suppressed_recipient',
    {
      recipients: [{ email: 'platform@example.com', scope: 'platform' }],
    },
  )
})

test('200: entries of another workspace are not there, by list or by look-up', async () => {
  const other = await api.workspace('other')
  assertAnswered(await list('', other.key), 200, { data: [] })
  assertAnswered(await list('?email=a%40example.com', other.key), 200, { data: [] })
})

const refused: [situation: string, query: string, details: object][] = [
  ['limit 0', '?limit=0', { path: 'limit', rule: 'minimum', limit: 1 }],
  ['limit 101', '?limit=101', { path: 'limit', rule: 'maximum', limit: 100 }],
  ['limit abc', '?limit=abc', { path: 'limit', rule: 'type' }],
  ['a cursor that is none', '?cursor=%7B%7D', { path: 'cursor' }],
  ['email that is no address', '?email=nobody', { path: 'email', rule: 'address.missing_at' }],
]
for (const [situation, query, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await list(query), 'validation_error', details)
  })
}

test('422 validation_error: a cursor of another workspace, and one of another filter', async () => {
  const other = await api.workspace('cursor-thief')
  const cursor = encodeURIComponent(textAt(await list('?limit=1'), 'next_cursor'))
  assertRefused(await list(`?cursor=${cursor}`, other.key), 'validation_error', { path: 'cursor' })
  assertRefused(await list(`?email=a%40example.com&cursor=${cursor}`), 'validation_error', {
    path: 'cursor',
  })
})
