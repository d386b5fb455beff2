/** `GET /emails`: newest first, page by page, with filters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const list = (query = '', key = shop.key) => ask(api.baseUrl, `GET /api/v1/emails${query}`, { key })
const idsOf = ({ body }: Answer): string[] => Object(body).data.map(({ id }: { id: string }) => id)

/** Oldest first. */
const sent: string[] = []
for (let n = 0; n < 7; n++) {
  const body = {
    ...mail,
    to: n % 2 ? 'odd@example.com' : 'Even@Example.com',
    tags: { parity: n % 2 ? 'odd' : 'even', n: String(n) },
  }
  sent.push(textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 'id'))
}
const newestFirst = sent.toReversed()

test('200: the envelope of a list, newest first', async () => {
  const answer = await list()
  assertAnswered(answer, 200, { object: 'list', has_more: false, next_cursor: '' })
  assert.deepEqual(idsOf(answer), newestFirst)
})

test('200: an entry is the message without its bodies', async () => {
  const { data } = Object((await list('?limit=1')).body)
  assert.partialDeepStrictEqual(data[0], {
    object: 'email',
    subject: 'Bonjour',
    tags: { parity: 'even', n: '6' },
  })
  assert.ok(!('html' in data[0]) && !('text' in data[0]))
})

test('200: page by page, each entry once, also while more arrive', async () => {
  const busy = await api.workspace('busy')
  const call = async () =>
    textAt(
      await ask(api.baseUrl, 'POST /api/v1/emails', {
        key: busy.key,
        body: { ...mail, from: `hello@${busy.domain}` },
      }),
      'id',
    )
  const known = [await call(), await call(), await call(), await call(), await call()].toReversed()
  const observed: string[] = []
  for (let cursor = ''; ;) {
    const answer = await list(
      `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      busy.key,
    )
    assertAnswered(answer, 200)
    observed.push(...idsOf(answer))
    cursor = textAt(answer, 'next_cursor')
    assert.equal(Object(answer.body).has_more, cursor !== '')
    if (cursor === '') break
    await call()
  }
  assert.deepEqual(observed, known)
})

test('200: a last page that is full has no more', async () => {
  assertAnswered(await list('?limit=7'), 200, { has_more: false, next_cursor: '' })
})

test('200: an empty workspace', async () => {
  const empty = await api.workspace('empty')
  const answer = await list('', empty.key)
  assert.deepEqual(answer.body, { object: 'list', data: [], has_more: false, next_cursor: '' })
})

test('200: the limit is from 1 to 100', async () => {
  assertAnswered(await list('?limit=100'), 200)
  assert.equal(idsOf(await list('?limit=1')).length, 1)
})

test('200: fifty entries where the call says no number', async () => {
  const many = await api.workspace('many')
  const body = Array.from({ length: 51 }, () => ({ ...mail, from: `hello@${many.domain}` }))
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails/batch', { key: many.key, body }), 202)
  const answer = await list('', many.key)
  assert.equal(idsOf(answer).length, 50)
  assertAnswered(answer, 200, { has_more: true })
})

test('200: by recipient, in any case', async () => {
  assert.equal(idsOf(await list('?recipient=even%40example.com')).length, 4)
  assert.equal(idsOf(await list('?recipient=ODD%40EXAMPLE.COM')).length, 3)
  assert.equal(idsOf(await list('?recipient=nobody%40example.com')).length, 0)
})

test('200: by tag, its name alone or with its value', async () => {
  assert.equal(idsOf(await list('?tag=parity')).length, 7)
  assert.equal(idsOf(await list('?tag=parity%3Aodd')).length, 3)
  assert.deepEqual(idsOf(await list('?tag=n%3A3')), [sent[3]])
  assert.equal(idsOf(await list('?tag=absent')).length, 0)
})

test('200: by status', async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const waiting = await api.workspace('waiting')
  const body = { ...mail, from: `hello@${waiting.domain}`, scheduled_at: scheduledAt }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: waiting.key, body }), 'id')
  assert.deepEqual(idsOf(await list('?status=queued', waiting.key)), [id])
  assert.deepEqual(idsOf(await list('?status=complained', waiting.key)), [])
})

test('200: by date: since included, until not', async () => {
  const { data } = Object((await list()).body)
  const third = data[2].created_at
  assert.ok(idsOf(await list(`?since=${third}`)).includes(newestFirst[2] ?? ''))
  assert.ok(!idsOf(await list(`?until=${third}`)).includes(newestFirst[2] ?? ''))
  assert.equal(idsOf(await list('?since=2999-01-01T00:00:00Z')).length, 0)
})

test('200: after and before an id, as the resend SDK pages', async () => {
  assert.deepEqual(idsOf(await list(`?limit=2&after=${newestFirst[1]}`)), newestFirst.slice(2, 4))
  assert.deepEqual(idsOf(await list(`?limit=2&before=${newestFirst[4]}`)), newestFirst.slice(2, 4))
  assertAnswered(await list(`?limit=2&after=${newestFirst[1]}`), 200, { has_more: true })
})

test('200: unknown parameters are ignored', async () => {
  assert.equal(idsOf(await list('?colour=blue&__proto__=x')).length, 7)
})

test('422: a cursor that is not as it was written', async () => {
  const written = textAt(await list('?limit=2'), 'next_cursor')
  for (let index = 0; index < written.length; index++) {
    const other = written[index] === 'A' ? 'B' : 'A'
    const answer = await list(
      `?limit=2&cursor=${written.slice(0, index)}${other}${written.slice(index + 1)}`,
    )
    assertRefused(answer, 'validation_error', { path: 'cursor', rule: 'cursor' })
  }
  for (const more of ['A', '%3D', '%0a'])
    assertRefused(await list(`?limit=2&cursor=${written}${more}`), 'validation_error', {
      path: 'cursor',
      rule: 'cursor',
    })
})

const refused: [situation: string, query: string, details: object][] = [
  ['limit 0', '?limit=0', { path: 'limit', rule: 'minimum', limit: 1 }],
  ['limit 101', '?limit=101', { path: 'limit', rule: 'maximum', limit: 100 }],
  ['limit abc', '?limit=abc', { path: 'limit', rule: 'type' }],
  ['limit 1.5', '?limit=1.5', { path: 'limit', rule: 'type' }],
  ['limit 1e1', '?limit=1e1', { path: 'limit', rule: 'type' }],
  ['an empty limit', '?limit=', { path: 'limit', rule: 'type' }],
  ['limit twice, the last one bad', '?limit=1&limit=0', { path: 'limit', rule: 'minimum' }],
  ['an unknown status', '?status=opened', { path: 'status', rule: 'enum' }],
  ['a cursor that is none', '?cursor=x', { path: 'cursor' }],
  [
    'a cursor of JSON',
    `?cursor=${Buffer.from('{"at":"x","id":"y"}').toString('base64url')}`,
    { path: 'cursor' },
  ],
  [
    'a cursor of 1,001 characters',
    `?cursor=${'x'.repeat(1001)}`,
    { path: 'cursor', rule: 'maxLength', limit: 1000 },
  ],
  ['a NUL in a tag', '?tag=%00', { path: 'tag', rule: 'control_character' }],
  [
    'since in the year 0, which PostgreSQL has not',
    '?since=0000-01-01T00:00:00Z',
    { path: 'since', rule: 'date-time' },
  ],
  [
    'until beyond the year 9999 in UTC',
    '?until=9999-12-31T23:59:59-23:59',
    { path: 'until', rule: 'date-time' },
  ],
  ['since that is no time', '?since=yesterday', { path: 'since', rule: 'date-time' }],
  ['until that is no time', '?until=2026-02-30T00:00:00Z', { path: 'until', rule: 'date-time' }],
]
for (const [situation, query, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await list(query), 'validation_error', details)
  })
}

test('422 validation_error: a cursor of another workspace', async () => {
  const other = await api.workspace('other')
  const cursor = textAt(await list('?limit=1'), 'next_cursor')
  assertRefused(
    await list(`?limit=1&cursor=${encodeURIComponent(cursor)}`, other.key),
    'validation_error',
    { path: 'cursor' },
  )
})

test('422 validation_error: a cursor of another filter', async () => {
  const cursor = textAt(await list('?limit=1&tag=parity'), 'next_cursor')
  assertAnswered(await list(`?limit=1&tag=parity&cursor=${encodeURIComponent(cursor)}`), 200)
  assertRefused(await list(`?limit=1&cursor=${encodeURIComponent(cursor)}`), 'validation_error', {
    path: 'cursor',
  })
  assertRefused(
    await list(`?limit=1&tag=n&cursor=${encodeURIComponent(cursor)}`),
    'validation_error',
    { path: 'cursor' },
  )
})

test('422 validation_error: a cursor of another list', async () => {
  for (const email of ['a@example.com', 'b@example.com']) await shop.suppress(email, 'manual')
  const page = await ask(api.baseUrl, 'GET /api/v1/suppression?limit=1', { key: shop.key })
  assertRefused(
    await list(`?cursor=${encodeURIComponent(textAt(page, 'next_cursor'))}`),
    'validation_error',
    { path: 'cursor' },
  )
})

test('200: a cursor holds for any page size', async () => {
  const cursor = textAt(await list('?limit=1'), 'next_cursor')
  assert.deepEqual(
    idsOf(await list(`?limit=3&cursor=${encodeURIComponent(cursor)}`)),
    newestFirst.slice(1, 4),
  )
})
