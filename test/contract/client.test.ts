/** The typed client against the real service: one method for each operation, and refusals as errors that programs can read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError, createClient } from '../../src/contract/client.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const client = createClient({ baseUrl: api.baseUrl, apiKey: shop.key })

const mail = { from: 'hello@shop.test', to: 'camille@example.com', subject: 'Bonjour', text: 'Bonjour' }

test('there is a method for each operation that a key may call', () => {
  const callable = operationIds.filter((id) => operations[id].door === 'api')
  assert.deepEqual(Object.keys(client).toSorted(), callable.toSorted())
})

test('a message is sent, read, moved and cancelled; the answer of a replay says so', async () => {
  const call = { body: { ...mail, scheduled_at: inHours(1) }, headers: { 'idempotency-key': 'order-1042' } }
  const sent = await client.sendEmail(call)
  const { id } = sent.body
  assert.equal(sent.headers?.['Idempotent-Replay'], undefined)
  const again = await client.sendEmail(call)
  assert.deepEqual([again.body.id, again.headers?.['Idempotent-Replay']], [id, 'true'])
  const later = inHours(2)
  assert.deepEqual((await client.updateEmail({ params: { id }, body: { scheduled_at: later } })).body, { object: 'email', id })
  const { body } = await client.getEmail({ params: { id } })
  assert.deepEqual([body.status, body.scheduled_at, body.recipients.length], ['queued', later, 1])
  await client.cancelEmail({ params: { id } })
  assert.equal((await client.getEmail({ params: { id } })).body.last_event, 'canceled')
})

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a query is written as the operation reads it, special characters included', async () => {
  await client.addSuppression({ body: { email: "o'neil+a&b@example.com" } })
  const { body } = await client.listSuppression({ query: { email: "o'neil+a&b@example.com", limit: 1 } })
  assert.equal(body.data[0]?.email, "o'neil+a&b@example.com")
})

test('calls without anything to give take nothing', async () => {
  assert.equal((await client.getApiMap()).body.object, 'api')
  assert.equal((await client.getAccount()).body.workspace.slug, 'shop')
  assert.equal((await client.listEmails()).body.object, 'list')
})

test('a refusal is a ClientError with status, code, details and the id of the request', async () => {
  await assert.rejects(client.sendEmail({ body: { ...mail, subject: '' } }), (error) => {
    assert.ok(error instanceof ClientError)
    assert.deepEqual([error.status, error.code], [422, 'validation_error'])
    assert.partialDeepStrictEqual(error.details, { path: 'subject', rule: 'minLength', limit: 1 })
    assert.match(error.requestId ?? '', /\S/)
    assert.equal(error.retryAfter, undefined)
    return true
  })
})

test('a 429 says after how many seconds to try again', async () => {
  const slow = await api.workspace('slow', { ratePerMinute: 1 })
  const hasty = createClient({ baseUrl: api.baseUrl, apiKey: slow.key })
  await hasty.getAccount()
  await assert.rejects(hasty.getAccount(), (error) => {
    assert.ok(error instanceof ClientError)
    assert.ok(error.retryAfter !== undefined && error.retryAfter > 0)
    return true
  })
})

test('what something in between answers is told as an internal_error with its status', async () => {
  const broken = createClient({
    baseUrl: api.baseUrl,
    apiKey: shop.key,
    fetch: () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' })),
  })
  await assert.rejects(
    broken.getAccount(),
    (error) => error instanceof ClientError && error.status === 502 && error.code === 'internal_error',
  )
})
