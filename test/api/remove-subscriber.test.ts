/** `DELETE /subscribers/{email}`: unsubscribes, suppresses the address, preserves the record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const add = (email: string, more: object = { double_opt_in: false }) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: { email, ...more } })
const remove = (email: string, key = shop.key) =>
  ask(api.baseUrl, `DELETE /api/v1/subscribers/${email}`, { key })
const read = (email: string) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${email}`, { key: shop.key })

test('200: exactly the result, and again the same', async () => {
  await add('leaving@example.com')
  const result = {
    object: 'subscriber',
    email: 'leaving@example.com',
    status: 'unsubscribed',
    suppressed: true,
    deleted: false,
  }
  for (let times = 0; times < 2; times++) {
    const answer = await remove('Leaving@Example.com')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, result)
  }
})

test('200: the record stays, with the time; the address is on the list with reason unsubscribe; a send is refused', async () => {
  const added = await add('kept@example.com', { firstName: 'K', tags: ['t'], double_opt_in: false })
  await remove('kept@example.com')
  const stored = await read('kept@example.com')
  assertAnswered(stored, 200, {
    id: textAt(added, 'id'),
    status: 'unsubscribed',
    firstName: 'K',
    tags: ['t'],
  })
  assert.match(textAt(stored, 'unsubscribed_at'), /^\d{4}-/)
  const list = await ask(api.baseUrl, 'GET /api/v1/suppression?email=kept@example.com', {
    key: shop.key,
  })
  assert.equal(at(list.body, 'data', '0', 'reason'), 'unsubscribe')
  const message = { from: 'hello@shop.test', to: 'kept@example.com', subject: 's', text: 't' }
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: message }),
    'suppressed_recipient',
  )
})

test('200: the evidence is stored once, with the key of the call', async () => {
  await add('evidence@example.com')
  await remove('evidence@example.com')
  await remove('evidence@example.com')
  const rows = await api.service.db.rows<{ act: string; source: string; hasKey: boolean }>(sql`
    select act, source, api_key_id is not null as has_key from consent_evidence where workspace_id = ${shop.id} and email = 'evidence@example.com' order by id`)
  assert.deepEqual(rows, [
    { act: 'registered', source: 'api', hasKey: true },
    { act: 'unsubscribed', source: 'api', hasKey: true },
  ])
})

test('200: from any status; a stronger reason on the list stays', async () => {
  for (const status of ['pending', 'bounced', 'complained']) {
    const email = `${status}@example.com`
    await add(email)
    await api.run(`update subscriber set status = '${status}' where email = '${email}'`)
    if (status === 'complained') await shop.suppress(email, 'complaint')
    assertAnswered(await remove(email), 200, { status: 'unsubscribed' })
    assertAnswered(await read(email), 200, { status: 'unsubscribed' })
  }
  const list = await ask(api.baseUrl, 'GET /api/v1/suppression?email=complained@example.com', {
    key: shop.key,
  })
  assert.equal(at(list.body, 'data', '0', 'reason'), 'complaint')
})

test('404 not_found: an unknown address, and nothing is put on the list', async () => {
  assertRefused(await remove('nobody@example.com'), 'not_found')
  assertRefused(await remove('no-address'), 'not_found')
  const list = await ask(api.baseUrl, 'GET /api/v1/suppression?email=nobody@example.com', {
    key: shop.key,
  })
  assert.deepEqual(at(list.body, 'data'), [])
})

test('404 not_found: a subscriber of another workspace, who stays subscribed', async () => {
  const other = await api.workspace('other')
  await add('theirs@example.com')
  assertRefused(await remove('theirs@example.com', other.key), 'not_found')
  assertAnswered(await read('theirs@example.com'), 200, { status: 'subscribed' })
})
