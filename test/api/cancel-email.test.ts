/** `POST /emails/{id}/cancel`: a scheduled message that has not begun to leave never leaves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()
const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const send = async (body: object = {}, key = shop.key): Promise<string> =>
  textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: { ...mail, ...body } }), 'id')
const cancel = (id: string, requested: object = {}) =>
  ask(api.baseUrl, `POST /api/v1/emails/${id}/cancel`, { key: shop.key, ...requested })

test('200: the message is failed with error cancelled, its last event canceled', async () => {
  const id = await send({ scheduled_at: inAnHour(), cc: 'c@example.com' })
  const answer = await cancel(id)
  assertAnswered(answer, 200)
  assert.deepEqual(answer.body, { object: 'email', id })
  const detail = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })
  assertAnswered(detail, 200, {
    status: 'failed',
    error: 'cancelled',
    last_event: 'canceled',
    sent_at: null,
  })
  for (const recipient of Object(detail.body).recipients)
    assert.partialDeepStrictEqual(recipient, { status: 'failed', error: 'cancelled' })
})

test('200: its quota is given back', async () => {
  const small = await api.workspace('small', { monthlyQuota: 2 })
  const body = { from: `hello@${small.domain}`, scheduled_at: inAnHour(), cc: 'c@example.com' }
  const id = await send(body, small.key)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: small.key }), 200, {
    quota: { used: 2, remaining: 0 },
  })
  assertAnswered(await cancel(id, { key: small.key }), 200)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: small.key }), 200, {
    quota: { used: 0, remaining: 2 },
  })
  await send(body, small.key)
})

test('200: any body is ignored', async () => {
  assertAnswered(await cancel(await send({ scheduled_at: inAnHour() }), { raw: '{"from":' }), 200)
  assertAnswered(
    await cancel(await send({ scheduled_at: inAnHour() }), { raw: 'hello', type: 'text/plain' }),
    200,
  )
  assertAnswered(await cancel(await send({ scheduled_at: inAnHour() }), { raw: '' }), 200)
})

test('409 conflict: cancelled already', async () => {
  const id = await send({ scheduled_at: inAnHour() })
  assertAnswered(await cancel(id), 200)
  assertRefused(await cancel(id), 'conflict', { status: 'canceled' })
})

test('409 conflict: not scheduled', async () => {
  assertRefused(await cancel(await send()), 'conflict')
})

test('200 once and 409 conflict for the rest: ten cancel at once, and the quota is given back once', async () => {
  const raced = await api.workspace('raced', { monthlyQuota: 10 })
  const own = { from: `hello@${raced.domain}` }
  const id = await send({ ...own, scheduled_at: inAnHour() }, raced.key)
  await send(own, raced.key)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => cancel(id, { key: raced.key })),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
    200,
    ...Array.from({ length: 9 }, () => 409),
  ])
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: raced.key }), 200, {
    quota: { used: 1 },
  })
})

test('404 not_found: no such message, no id at all, one of another workspace', async () => {
  const other = await api.workspace('other')
  assertRefused(await cancel('019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'), 'not_found')
  assertRefused(await cancel('x'), 'not_found')
  assertRefused(
    await cancel(await send({ scheduled_at: inAnHour() }), { key: other.key }),
    'not_found',
  )
})
