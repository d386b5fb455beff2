/** Hostile bodies: any that fits into 30 MB is refused before it costs more than its reading. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer, request as open, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { BodyRoom, readBody } from '../../src/entrypoints/api/read-body.ts'
import { createSlowBodies } from '../../src/entrypoints/api/slow-bodies.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Bonjour', text: 'Bonjour' }
const start = JSON.stringify(mail).slice(0, -1)
const send = (raw: string, path = '') =>
  ask(api.baseUrl, `POST /api/v1/emails${path}`, { key: shop.key, raw })
const list = (entry: string, count = 300_000): string =>
  `[${Array.from({ length: count }, () => entry).join()}]`

const tooMany: [situation: string, body: string][] = [
  ['empty objects', `${start},"x":${list('{}')}}`],
  ['empty lists', `${start},"x":${list('[]')}}`],
  [
    'members of one object',
    `${start},"x":{${Array.from({ length: 300_000 }, (_, index) => `"${index}":true`).join()}}}`,
  ],
  [
    'members that are numbers',
    `${start},"x":{${Array.from({ length: 300_000 }, (_, index) => `"${index}":1`).join()}}}`,
  ],
  ['numbers where recipients belong', `${start.replace('"a@example.com"', list('1'))}}`],
  [
    'octets of a file, one of them none',
    `${start},"attachments":[{"content":{"type":"Buffer","data":${list('777')}}}]}`,
  ],
]
for (const [situation, body] of tooMany) {
  test(`422 validation_error: 300,000 values: ${situation}`, async () => {
    assertRefused(await send(body), 'validation_error', { rule: 'values', limit: 200_000 })
  })
}

test('422 validation_error: a list of 300,000 numbers as a batch', async () => {
  assertRefused(await send(list('1'), '/batch'), 'validation_error', {
    rule: 'values',
    limit: 200_000,
  })
})

test('202: a file of 300,000 bytes as Node.js writes a Buffer in JSON arrives whole', async () => {
  const content = Buffer.alloc(300_000, 'Bonjour ')
  const body = { ...mail, attachments: [{ filename: 'a.txt', content }] }
  const answer = await send(JSON.stringify(body))
  assertAnswered(answer, 202)
  const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
  const sent = raw?.toString().replaceAll('\r\n', '') ?? ''
  assert.ok(sent.includes(content.toString('base64')), 'the file is not in the mail')
})

test('422 validation_error: the refusal names errors beside a file and in it', async () => {
  const attachments = (data: unknown[]) => [{ filename: 'a', content: { type: 'Buffer', data } }]
  const beside = await send(
    JSON.stringify({ ...mail, subject: 1, attachments: attachments([1, 2]) }),
  )
  assertRefused(beside, 'validation_error', { path: 'subject', rule: 'type' })
  const within = await send(JSON.stringify({ ...mail, attachments: attachments([1, 256]) }))
  assertRefused(within, 'validation_error', {
    path: 'attachments.0.content.data.1',
    rule: 'maximum',
    limit: 255,
  })
})

test('422 validation_error: the path of a text that cannot be stored, deep in a body', async () => {
  const answer = await send(
    JSON.stringify([mail, { ...mail, attachments: [{}, { content: { data: ['e', '\0'] } }] }]),
    '/batch',
  )
  assertRefused(answer, 'validation_error', {
    path: '1.attachments.1.content.data.1',
    rule: 'control_character',
  })
})

test('422 validation_error: headers or tags of more than 10 MB in a single message', async () => {
  const long = 'x'.repeat(10 * 1024 * 1024)
  const expected = { rule: 'text_bytes', limit: 10 * 1024 * 1024 }
  assertRefused(
    await send(JSON.stringify({ ...mail, tags: { a: long } })),
    'validation_error',
    expected,
  )
  assertRefused(
    await send(JSON.stringify({ ...mail, headers: { 'X-A': long } })),
    'validation_error',
    expected,
  )
})

test('500 internal_error, busy: bodies count until their calls are answered, not until they are read', async () => {
  const room = new BodyRoom(1_000)
  const read: { slot: ReturnType<BodyRoom['enter']>; outcome: Promise<unknown> }[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const location = room.enter()
    const outcome = readBody(request, {
      slot: location,
      bytesMax: 10_000,
      goAhead: () => undefined,
    }).catch((error: unknown) => error)
    read.push({ slot: location, outcome })
    void outcome.then(() => response.end())
  })
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const post = async (): Promise<unknown> => {
    await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      body: JSON.stringify('x'.repeat(598)),
      headers: { 'content-type': '' },
    })
    return read.at(-1)?.outcome
  }
  assert.equal(String(await post()).length, 598)
  assert.deepEqual(at(await post(), 'details'), { reason: 'busy' })
  for (const { slot: location } of read) location.leave()
  assert.equal(String(await post()).length, 598)
})

test('a file may take half an hour while bytes arrive; a minute of silence ends it, and two minutes end any other body', async () => {
  const cut: string[] = []
  const slow = createSlowBodies((request) => cut.push(request.url ?? ''))
  const heard = new EventEmitter()
  const server = createServer((request) => {
    slow.enter(request)
    if (request.url !== '/body') slow.allowFile(request)
    request.on('data', () => heard.emit(request.url ?? '')).on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.closeAllConnections())
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const senders = ['/silent', '/file', '/body'].map((path) => {
    const sender = open({ host: '127.0.0.1', port, path, method: 'POST' }).on(
      'error',
      () => undefined,
    )
    return { path, sender }
  })
  for (let minute = 0; minute <= 20; minute += 0.5) {
    for (const { path, sender } of senders) {
      if (path === '/silent' && minute > 0) continue
      const came = once(heard, path)
      sender.write('x')
      await came
    }
    slow.sweep(minute * 60_000)
    if (minute === 0.5) assert.deepEqual(cut, [])
    if (minute === 1.5) assert.deepEqual(cut, ['/silent'])
  }
  assert.deepEqual(cut, ['/silent', '/body'])
})
