/** `GET /subscribers/{email}`: the record of one address, found in any spelling of it. */
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')

const read = (path: string, key = shop.key) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${path}`, { key })
const body = { email: "o'neil+news/fr@example.com", firstName: 'Sinéad', double_opt_in: false }
assertAnswered(await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body }), 201)

test('200: the record, in any case and encoding of the address', async () => {
  for (const path of ["o'neil%2Bnews%2Ffr@example.com", 'O%27NEIL+news%2ffr%40EXAMPLE.com']) {
    assertAnswered(await read(path), 200, {
      object: 'subscriber',
      email: "o'neil+news/fr@example.com",
      status: 'subscribed',
      firstName: 'Sinéad',
      lastName: null,
      tags: [],
      fields: {},
      source: 'api',
    })
  }
})

test('200: the same by its identifier; 404 in another workspace', async () => {
  const id = textAt(await read("o'neil%2Bnews%2Ffr@example.com"), 'id')
  assertAnswered(await read(id), 200, { id, email: "o'neil+news/fr@example.com" })
  assertRefused(await read(id, other.key), 'not_found', { email: id })
})

test('404 not_found: an unknown address, and one of another workspace, word for word', async () => {
  assertRefused(await read('nobody@example.com'), 'not_found', { email: 'nobody@example.com' })
  assertRefused(await read("o'neil%2Bnews%2Ffr@example.com", other.key), 'not_found')
})

for (const path of [
  'nobody',
  '%00@example.com',
  'a%0a@example.com',
  'A%20%3Ca@example.com%3E',
  'a@b@example.com',
  '%ff',
]) {
  test(`404 not_found: ${path} is no address`, async () => {
    assertRefused(await read(path), 'not_found')
  })
}
