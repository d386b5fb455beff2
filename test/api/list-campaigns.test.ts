/** GET /api/v1/campaigns: newest first, in pages, by status (spec: Envelope of list responses). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const names = Array.from({ length: 7 }, (_, index) => `campaign ${index}`)
const ids: string[] = []
for (const name of names) {
  const body = { name, subject: 's', text: 't' }
  ids.push(textAt(await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body }), 'id'))
}
/** Of which the second and the fifth are archived. */
const archived = [ids[1], ids[4]]
for (const id of archived)
  await api.run(`update campaign set status = 'archived' where id = '${id}'`)

const list = (query = '', key = shop.key): Promise<Answer> =>
  ask(api.baseUrl, `GET /api/v1/campaigns${query}`, { key })
const idsOf = (answer: Answer): unknown[] => {
  const data = at(answer.body, 'data')
  assert.ok(Array.isArray(data), JSON.stringify(answer.body))
  return data.map((entry) => at(entry, 'id'))
}

test('200: all of them, newest first, in the envelope', async () => {
  const answer = await list()
  assertAnswered(answer, 200, { object: 'list', has_more: false, next_cursor: '' })
  assert.deepEqual(idsOf(answer), ids.toReversed())
  const first = await ask(api.baseUrl, `GET /api/v1/campaigns/${ids[6]}`, { key: shop.key })
  assert.deepEqual(at(answer.body, 'data', '0'), first.body)
})

test('200: page by page each once, also while new ones come', async () => {
  const known: unknown[] = []
  let cursor = ''
  do {
    const answer = await list(
      `?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    known.push(...idsOf(answer))
    cursor = textAt(answer, 'next_cursor')
    assert.equal(at(answer.body, 'has_more'), cursor !== '')
    await ask(api.baseUrl, 'POST /api/v1/campaigns', {
      key: shop.key,
      body: { name: 'late', subject: 's', text: 't' },
    })
  } while (cursor !== '')
  assert.deepEqual(known, ids.toReversed())
})

test('200: those of one status, in pages too', async () => {
  assert.deepEqual(idsOf(await list('?status=archived')), archived.toReversed())
  assert.deepEqual(idsOf(await list('?status=sent')), [])
  const first = await list('?status=archived&limit=1')
  assert.deepEqual(idsOf(first), [ids[4]])
  const cursor = encodeURIComponent(textAt(first, 'next_cursor'))
  const second = await list(`?status=archived&limit=1&cursor=${cursor}`)
  assert.deepEqual(idsOf(second), [ids[1]])
  assert.equal(at(second.body, 'next_cursor'), '')
})

test('200: another workspace sees none of them', async () => {
  const other = await api.workspace('other')
  assert.deepEqual(idsOf(await list('', other.key)), [])
})

const refused: [situation: string, query: string, details: object][] = [
  ['a limit of 0', '?limit=0', { path: 'limit' }],
  ['a limit of 101', '?limit=101', { path: 'limit' }],
  ['a limit that is no number', '?limit=many', { path: 'limit' }],
  ['an unknown status', '?status=paused', { path: 'status', rule: 'enum' }],
  ['a cursor that is none', '?cursor=nonsense', { path: 'cursor' }],
]
for (const [situation, query, details] of refused) {
  test(`422 validation_error: ${situation}`, async () =>
    assertRefused(await list(query), 'validation_error', details))
}

test('422 validation_error: a cursor of another filter, and of another workspace', async () => {
  const cursor = encodeURIComponent(textAt(await list('?limit=1'), 'next_cursor'))
  assertRefused(await list(`?status=archived&cursor=${cursor}`), 'validation_error', {
    path: 'cursor',
  })
  const thief = await api.workspace('thief')
  assertRefused(await list(`?cursor=${cursor}`, thief.key), 'validation_error', { path: 'cursor' })
})
