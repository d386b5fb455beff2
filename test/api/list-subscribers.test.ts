/** `GET /subscribers`: newest first, by status, and by a part of the address or of a name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')

const contacts = [
  { email: 'ines@example.com', firstName: 'Inès', lastName: 'Müller-Lüdenscheidt' },
  { email: 'francois@example.org', firstName: 'François', lastName: 'Lefèvre' },
  { email: 'soren@example.net', firstName: 'Søren', lastName: 'Ægir' },
  { email: '100%_sure@example.com', firstName: 'Łukasz', lastName: 'Straße' },
  { email: 'li@example.com', firstName: 'Li', lastName: 'Wu' },
  { email: 'xavier@example.com', firstName: 'Xavier', lastName: 'de la Tour' },
]
for (const body of contacts) {
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { ...body, double_opt_in: false },
    }),
    201,
  )
}
await ask(api.baseUrl, 'POST /api/v1/subscribers', {
  key: shop.key,
  body: { email: 'waits@example.com', firstName: 'Waiting' },
})
await ask(api.baseUrl, 'POST /api/v1/subscribers', {
  key: other.key,
  body: { email: 'ines@other.example', firstName: 'Inès', double_opt_in: false },
})
const newestFirst = ['waits@example.com', ...contacts.map(({ email }) => email).toReversed()]

const list = (query: Record<string, string>, key = shop.key) =>
  ask(api.baseUrl, `GET /api/v1/subscribers?${new URLSearchParams(query).toString()}`, { key })
const emailsOf = (body: unknown): string[] =>
  Object(at(body, 'data')).map((row: { email: string }) => row.email)

/** The addresses that a search finds, sorted. */
async function search(q: string, more: Record<string, string> = {}): Promise<string[]> {
  const answer = await list({ q, ...more })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return emailsOf(answer.body).toSorted()
}

test('a new subscriber is found by a search', async () => {
  await until(
    () => search('waiting'),
    ({ length }) => length > 0,
  )
})

test('200: newest first, in the envelope of lists, each as it is read alone, but for its choices', async () => {
  const answer = await list({})
  assert.deepEqual(emailsOf(answer.body), newestFirst)
  assertAnswered(answer, 200, { object: 'list', has_more: false, next_cursor: '' })
  const alone = await ask(api.baseUrl, 'GET /api/v1/subscribers/ines@example.com', {
    key: shop.key,
  })
  const row = Object(at(answer.body, 'data')).find(
    ({ email }: { email: string }) => email === 'ines@example.com',
  )
  assert.deepEqual({ ...row, topics: [], language: null }, alone.body)
})

test('200: pages follow each other without a gap or a repeat, with each filter', async () => {
  for (const filter of [
    {},
    { status: 'subscribed' },
    { q: 'example' },
    { q: 'example', status: 'subscribed' },
    { q: 'l' },
  ]) {
    const whole = emailsOf((await list(filter)).body)
    const paged: string[] = []
    for (let cursor = ''; ;) {
      const answer = await list({ ...filter, limit: '2', cursor })
      paged.push(...emailsOf(answer.body))
      assert.equal(at(answer.body, 'has_more'), textAt(answer, 'next_cursor') !== '')
      cursor = textAt(answer, 'next_cursor')
      if (cursor === '') break
    }
    assert.deepEqual(paged, whole)
    assert.ok(whole.length > 2)
  }
})

test('200: by status', async () => {
  assert.deepEqual(emailsOf((await list({ status: 'pending' })).body), ['waits@example.com'])
  assert.deepEqual(emailsOf((await list({ status: 'subscribed' })).body), newestFirst.slice(1))
  assert.deepEqual(emailsOf((await list({ status: 'bounced' })).body), [])
})

const matches: [q: string, emails: string[]][] = [
  ['ines', ['ines@example.com']],
  ['INÈS', ['ines@example.com']],
  ['xample.o', ['francois@example.org']],
  ['@example.net', ['soren@example.net']],
  ['francois', ['francois@example.org']],
  ['lefevre', ['francois@example.org']],
  ['fèv', ['francois@example.org']],
  ['François Lefèvre', ['francois@example.org']],
  ['denscheidt', ['ines@example.com']],
  ['muller-lud', ['ines@example.com']],
  ['soren', ['soren@example.net']],
  ['aegir', ['soren@example.net']],
  ['strasse', ['100%_sure@example.com']],
  ['lukasz', ['100%_sure@example.com']],
  ['%_s', ['100%_sure@example.com']],
  ['___', []],
  ['%%%', []],
  ['\\\\\\', []],
  ['li', ['li@example.com']],
  ['L', ['100%_sure@example.com', 'francois@example.org', 'li@example.com', 'xavier@example.com']],
  ['wu', ['li@example.com']],
  ['la', ['xavier@example.com']],
  ['zz', []],
  ['  ines  ', ['ines@example.com']],
  ['nobody at all', []],
]
for (const [q, emails] of matches) {
  test(`200: ${JSON.stringify(q)} finds ${emails.join(', ') || 'none'}`, async () => {
    assert.deepEqual(await search(q), emails.toSorted())
  })
}

test('200: a search within a status', async () => {
  assert.deepEqual(await search('wait', { status: 'pending' }), ['waits@example.com'])
  assert.deepEqual(await search('wait', { status: 'subscribed' }), [])
})

test('200: an empty search, or one of accents alone, is none', async () => {
  for (const q of ['', '   ', '\u0301']) assert.equal((await search(q)).length, newestFirst.length)
})

test('200: a renamed subscriber is found by the new name and no longer by the old one', async () => {
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: 'li@example.com', firstName: 'Renée' },
  })
  // The new name is read where it stands; the old one goes when the worker indexes.
  await until(
    () => search('li wu'),
    ({ length }) => length === 0,
  )
  assert.deepEqual(await search('renee'), ['li@example.com'])
})

test('200: no subscriber of another workspace is found', async () => {
  assert.deepEqual(emailsOf((await list({}, other.key)).body), ['ines@other.example'])
  const emailsOfOther = async (): Promise<string[]> =>
    emailsOf((await list({ q: 'ines' }, other.key)).body)
  await until(emailsOfOther, ({ length }) => length > 0)
  assert.deepEqual(await emailsOfOther(), ['ines@other.example'])
})

const refused: [situation: string, query: Record<string, string>, details: object][] = [
  ['a limit of 0', { limit: '0' }, { path: 'limit', rule: 'minimum', limit: 1 }],
  ['a limit of 101', { limit: '101' }, { path: 'limit', rule: 'maximum', limit: 100 }],
  ['a limit that is a word', { limit: 'many' }, { path: 'limit' }],
  ['an unknown status', { status: 'happy' }, { path: 'status', rule: 'enum' }],
  ['a cursor that is none', { cursor: 'x' }, { path: 'cursor', rule: 'cursor' }],
  [
    'a search of 321 characters',
    { q: 'x'.repeat(321) },
    { path: 'q', rule: 'maxLength', limit: 320 },
  ],
]
for (const [situation, query, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await list(query), 'validation_error', details)
  })
}

test('422 validation_error: a cursor of another filter, of another list or of another workspace', async () => {
  const cursor = textAt(await list({ limit: '1' }), 'next_cursor')
  assertAnswered(await list({ cursor }), 200)
  assertRefused(await list({ cursor, status: 'subscribed' }), 'validation_error', {
    path: 'cursor',
  })
  assertRefused(await list({ cursor, q: 'ines' }), 'validation_error', { path: 'cursor' })
  assertRefused(await list({ cursor }, other.key), 'validation_error', { path: 'cursor' })
  assertRefused(
    await ask(api.baseUrl, `GET /api/v1/emails?cursor=${cursor}`, { key: shop.key }),
    'validation_error',
  )
})

test('200: entries older than an identifier; 422 for what is none', async () => {
  const all = at(
    (await ask(api.baseUrl, 'GET /api/v1/subscribers', { key: shop.key })).body,
    'data',
  )
  const ids = (all as { id: string }[]).map(({ id }) => id)
  const line = `GET /api/v1/subscribers?limit=2&after=${ids[1]}`
  const page = await ask(api.baseUrl, line, { key: shop.key })
  assertAnswered(page, 200, { has_more: true })
  assert.deepEqual(
    (at(page.body, 'data') as { id: string }[]).map(({ id }) => id),
    ids.slice(2, 4),
  )
  const wrong = await ask(api.baseUrl, 'GET /api/v1/subscribers?after=x', { key: shop.key })
  assertRefused(wrong, 'validation_error', { path: 'after', rule: 'known_id' })
})
