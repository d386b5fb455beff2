/**
 * GET /api/v1/webhooks: all of the workspace, newest first, without their secrets (spec: Webhooks).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { keysAt } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')

test('200: an empty list, then those of the workspace alone, newest first, none with its secret', async () => {
  const list = (key: string) => ask(api.baseUrl, 'GET /api/v1/webhooks', { key })
  assertAnswered(await list(shop.key), 200, {
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: '',
  })
  for (const name of ['one', 'two'])
    await ask(api.baseUrl, 'POST /api/v1/webhooks', {
      key: shop.key,
      body: { name, url: 'https://shop.example/', events: ['email.sent'] },
    })
  const answer = await list(shop.key)
  const { data } = answer.body as { data: { name: string }[] }
  assert.deepEqual(
    data.map(({ name }) => name),
    ['two', 'one'],
  )
  assert.deepEqual(
    keysAt(data[0]).toSorted(),
    [
      ...['object', 'id', 'name', 'url', 'endpoint', 'events', 'enabled', 'status'],
      ...['created_at', 'updated_at'],
    ].toSorted(),
  )
  assertAnswered(await list(other.key), 200, { data: [] })
})

test('200: pages by cursor, by after and by before; 422 for a place that is no webhook of the workspace', async () => {
  const paged = await api.workspace('paged')
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const body = { name, url: 'https://shop.example/', events: ['email.sent'] }
    const created = await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: paged.key, body })
    ids.unshift(textAt(created, 'id'))
  }
  const [newest = '', middle = '', oldest = ''] = ids
  const list = (query: string, key = paged.key) =>
    ask(api.baseUrl, `GET /api/v1/webhooks?${query}`, { key })
  const page = async (query: string) => {
    const answer = await list(query)
    assertAnswered(answer, 200)
    const { data, has_more: more } = answer.body as { data: { id: string }[]; has_more: boolean }
    return [...data.map(({ id }) => id), more]
  }
  assert.deepEqual(await page('limit=2'), [newest, middle, true])
  const next = textAt(await list('limit=2'), 'next_cursor')
  assert.deepEqual(await page(`limit=2&cursor=${next}`), [oldest, false])
  assert.deepEqual(await page(`after=${newest}`), [middle, oldest, false])
  assert.deepEqual(await page(`before=${oldest}&limit=1`), [middle, true])
  assert.deepEqual(await page(`before=${oldest}`), [newest, middle, false])
  for (const [query, key] of [
    [`after=${newest}`, other.key],
    ['before=00000000-0000-4000-8000-000000000000', paged.key],
  ] as const)
    assertRefused(await list(query, key), 'validation_error', { rule: 'known_id' })
})
