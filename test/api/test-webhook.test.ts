/**
 * POST /api/v1/webhooks/{id}/test: an event of the real form, one try, and its outcome (spec:
 * Webhooks; semantics 4: Journal entry).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import Schema from 'typebox/schema'
import { eventBody } from '../../src/contract/events.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const api = await startApi()
const receiver = await startReceiver()
const shop = await api.workspace('shop')
const body = { url: receiver.url, events: ['email.bounced', 'email.sent'], enabled: false }
const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
const tried = () => ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })

test('200 delivered: the first of its types, data {test: true}, signed, in the journal; also while it is disabled', async () => {
  const answer = await tried()
  assertAnswered(answer, 200, {
    object: 'webhook_test',
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    error: null,
  })
  const [call] = receiver.calls
  const event = JSON.parse(call?.body ?? '') as { type: string; data: unknown }
  assert.deepEqual([event.type, event.data], ['email.bounced', { test: true }])
  assert.ok(Schema.Compile(eventBody('email.bounced')).Check(event), 'its schema in OpenAPI')
  assert.ok(call?.headers['service-signature'] && call.headers['webhook-signature'])
  const journal = await ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries`, { key: shop.key })
  assertAnswered(journal, 200, {
    data: [{ id: textAt(answer, 'delivery_id'), test: true, status: 'delivered' }],
  })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/events', { key: shop.key }), 200, { data: [] })
})

test('200 failed: one try, and no other follows', async () => {
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  const answer = await tried()
  assertAnswered(answer, 200, {
    status: 'failed',
    attempts: 1,
    response_status: 500,
    error: 'answered 500',
  })
  const journal = await ask(api.baseUrl, `GET /api/v1/webhooks/${id}/deliveries`, { key: shop.key })
  assertAnswered(journal, 200, { data: [{ status: 'failed', next_attempt_at: null }] })
})

const interim = readFileSync(
  join(import.meta.dirname, '../cases/webhook-interim--continue.txt'),
  'utf8',
).replaceAll(/\r?\n/g, '\r\n')
const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/**
 * Writes a piece once the one before has left, and ends the connection behind an answer that says
 * so.
 */
function writeEach(socket: Socket, [piece, ...rest]: string[]): void {
  if (piece !== undefined) socket.write(piece, () => writeEach(socket, rest))
  if (piece?.includes('Connection: close')) socket.end()
}

test('200 delivered: interim responses that nobody asked for are read over, however they arrive', async () => {
  for (const pieces of [
    [interim],
    [`HTTP/1.1 100 Continue\r\n\r\n${final}`],
    [
      'HTTP/1.1 100 Continue\r\nServer: old\r\n\r\n',
      'HTTP/1.0 100\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
      final,
    ],
    [...`HTTP/1.1 100 Continue\r\n\r\n${final}`],
    [final],
  ]) {
    receiver.answer = ({ socket }) => writeEach(socket, pieces)
    assertAnswered(await tried(), 200, { status: 'delivered', response_status: 200, error: null })
  }
})

test('200 failed: an interim response alone is no answer', async () => {
  receiver.answer = ({ socket }) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')
  assertAnswered(await tried(), 200, {
    status: 'failed',
    response_status: null,
    error: 'the connection was closed before the answer (ECONNRESET)',
  })
  receiver.answer = ({ socket }) =>
    socket.end(`HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(20_000)}\r\n\r\n${final}`)
  assertAnswered(await tried(), 200, { status: 'failed', response_status: null })
})

test('404 not_found: of an unknown webhook', async () => {
  const path = '/api/v1/webhooks/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40/test'
  assertRefused(await ask(api.baseUrl, `POST ${path}`, { key: shop.key }), 'not_found')
})
