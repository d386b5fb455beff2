/**
 * GET /api/v1/webhooks: all of the workspace, newest first, without their secrets (spec: Webhooks).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
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
    ['object', 'id', 'name', 'url', 'events', 'enabled', 'created_at', 'updated_at'].toSorted(),
  )
  assertAnswered(await list(other.key), 200, { data: [] })
})
