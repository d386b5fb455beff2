/**
 * POST /api/v1/webhooks/{id}/rotate: a new secret at once; that receivers of either accept is in
 * test/referees/webhook-signatures.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const api = await startApi()
const receiver = await startReceiver()
const shop = await api.workspace('shop')
const body = { url: receiver.url, events: ['email.sent'] }
const created = await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body })
const id = textAt(created, 'id')
const rotate = (query = '') =>
  ask(api.baseUrl, `POST /api/v1/webhooks/${id}/rotate${query}`, { key: shop.key })

test('200: another secret, two signatures while both are good, one without an overlap', async () => {
  const signatures = async (): Promise<number> => {
    await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
    return String(receiver.calls.at(-1)?.headers['service-signature']).split('v1=').length - 1
  }
  assert.equal(await signatures(), 1)
  const answer = await rotate()
  assertAnswered(answer, 200, { object: 'webhook', id })
  assert.notEqual(textAt(answer, 'secret'), textAt(created, 'secret'))
  assert.equal(await signatures(), 2)
  await rotate('?overlap_hours=0')
  assert.equal(await signatures(), 1)
})

test('422 validation_error: an overlap beyond a week', async () => {
  assertRefused(await rotate('?overlap_hours=169'), 'validation_error', { path: 'overlap_hours' })
  assertRefused(await rotate('?overlap_hours=-1'), 'validation_error', { path: 'overlap_hours' })
})

test('the database holds no secret in clear', async () => {
  const secret = textAt(
    await ask(api.baseUrl, `GET /api/v1/webhooks/${id}`, { key: shop.key }),
    'secret',
  )
  const [row] = await api.service.db.rows<{ whole: string }>(
    sql`select webhook::text as whole from webhook where workspace_id = ${shop.id}`,
  )
  const hex = Buffer.from(secret).toString('hex')
  assert.ok(row && !row.whole.includes(secret) && !row.whole.includes(hex))
})

test('a worker and a test sign with both secrets for the hours of the overlap, and with the new one alone after them', async () => {
  await rotate('?overlap_hours=24')
  const signatures = async (): Promise<number> => {
    const before = receiver.calls.length
    await api.service.db.transaction((tx) =>
      publishEvents(tx, shop.id, [{ type: 'email.sent', data: {} }]),
    )
    api.service.wake('webhook')
    const call = (await receiver.received(before + 1)).at(-1)
    return String(call?.headers['service-signature']).split('v1=').length - 1
  }
  const signaturesOfTest = async (): Promise<number> => {
    assertAnswered(
      await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key }),
      200,
    )
    return String(receiver.calls.at(-1)?.headers['service-signature']).split('v1=').length - 1
  }
  await api.moveClock('23 hours 50 minutes')
  assert.deepEqual([await signatures(), await signaturesOfTest()], [2, 2])
  await api.moveClock('24 hours 1 minute')
  assert.deepEqual([await signatures(), await signaturesOfTest()], [1, 1])
})
