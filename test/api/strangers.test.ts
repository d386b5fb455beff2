/**
 * What callers without key or session hold is bounded apart: they never take what senders need
 * (security: What attacks taught).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, createServer as listenFor, Socket, type AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import type { BodyLoad } from '../../src/core/dispatch/entry-points.ts'
import {
  burstMax,
  createStrangersConnections,
  strangersConnectionsMax,
} from '../../src/entrypoints/api/strangers-connections.ts'
import { createReadStrangersBody, StrangersRoom } from '../../src/entrypoints/api/strangers-room.ts'
import { bodyBytesMax, strangerBytesMax } from '../../src/ground/memory-bounds.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

let load: () => BodyLoad = () => assert.fail('the API does not run')
const api = await startApi({ entry: operatorEntryPoints({ onBodies: (read) => (load = read) }) })
const shop = await api.workspace('shop')
const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Bonjour', text: 'Bonjour' }
const megabyte = 1024 * 1024

interface Slow {
  socket: Socket
  /** What was answered so far. */
  output: string
}

const sockets: Socket[] = []
after(() => sockets.forEach((socket) => socket.destroy()))

/** Opens a connection from an address of this machine, and sends a request without its end. */
function sendSlowly(port: number, from: string, lines: string[], begin: string): Slow {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  const slow: Slow = { socket, output: '' }
  sockets.push(socket)
  socket.on('error', () => undefined).on('data', (bytes) => (slow.output += bytes.toString()))
  socket.write([...lines, '', begin].join('\r\n'))
  return slow
}

const { port: apiPort } = new URL(api.baseUrl)
const json = [
  `Host: 127.0.0.1:${apiPort}`,
  `Origin: ${api.baseUrl}`,
  'Content-Type: application/json',
  'Content-Length: 60000',
]
const form = [
  `Host: 127.0.0.1:${apiPort}`,
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 4000',
]

test('200: unfinished sign-ins and forms of three addresses hold twenty of each address, and no memory of senders', async () => {
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const slow = addresses.flatMap((from) =>
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? sendSlowly(
            Number(apiPort),
            from,
            ['POST /people/api/v1/session HTTP/1.1', ...json],
            'x'.repeat(50_000),
          )
        : sendSlowly(Number(apiPort), from, ['POST /captured/enter HTTP/1.1', ...form], 'token='),
    ),
  )
  const answered = (): Slow[] => slow.filter(({ output: text }) => text !== '')
  await until(() => answered().length === slow.length - 60)
  for (const { output: text } of answered())
    assert.match(text, /^HTTP\/1\.1 (?:422|404|429) [^]*connection: close/i)
  assert.equal(load().retained, 0, 'what strangers send is not in the memory of senders')
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail })
  assertAnswered(sent, 202)
  // The same address is served as well: what it sends at once needs no slot that is held for long.
  const quick = await ask(api.baseUrl, 'POST /people/api/v1/session', {
    headers: { origin: api.baseUrl },
    body: { email: 'nobody@example.com', password: 'correct horse battery staple' },
  })
  assertRefused(quick, 'wrong_credentials')
})

test('422 validation_error: a sign-in of more than 64 KB', async () => {
  const body = { email: 'nobody@example.com', password: 'x'.repeat(65_536) }
  const answer = await ask(api.baseUrl, 'POST /people/api/v1/session', {
    headers: { origin: api.baseUrl },
    body,
  })
  assertRefused(answer, 'validation_error', { rule: 'body_bytes', limit: 65_536 })
})

/** A server that reads each body in a room, and holds its answer until `answer()`. */
async function serve(room: StrangersRoom): Promise<{ port: number; outcomes: string[] }> {
  const readBody = createReadStrangersBody(room)
  const outcomes: string[] = []
  const server: Server = createServer((request, response) => {
    const address = request.socket.remoteAddress ?? ''
    void readBody({ raw: request, ip: address }, { raw: response }, 1_000).then((read) => {
      const outcome = 'bytes' in read ? String(read.bytes.length) : read.refused
      outcomes.push(`${address} ${outcome}`)
      response.end(outcome)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => server.close())
  after(() => server.closeAllConnections())
  return { port: (server.address() as AddressInfo).port, outcomes }
}

const started = ['POST / HTTP/1.1', 'Host: here', 'Content-Length: 500']

test('a full room: the oldest body of the network that holds the largest part makes room, and a quick one is read', async () => {
  const room = new StrangersRoom({ bytesMax: 1_000, clock: createFrozenClock() })
  const { port, outcomes } = await serve(room)
  for (const [from, bytes] of [
    ['127.0.0.2', 400],
    ['127.0.0.3', 250],
    ['127.0.0.2', 300],
  ] as const) {
    const before = room.bytes
    sendSlowly(port, from, started, 'x'.repeat(bytes))
    await until(() => room.bytes === before + bytes)
  }
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'x'.repeat(300) })
  assert.equal(await answer.text(), '300')
  assert.deepEqual(outcomes.toSorted(), ['127.0.0.1 300', '127.0.0.2 too_slow'])
  assert.equal(room.bytes, 550)
})

test('a body of a stranger is refused after ten seconds, and its connection closed', async () => {
  const clock = createFrozenClock()
  const room = new StrangersRoom({ bytesMax: 1_000, clock })
  const { port, outcomes } = await serve(room)
  const { socket } = sendSlowly(port, '127.0.0.2', started, 'x')
  await until(() => room.bytes === 1)
  room.sweep(9_999)
  assert.deepEqual(outcomes, [])
  room.sweep(10_000)
  await once(socket, 'close')
  assert.deepEqual(outcomes, ['127.0.0.2 too_slow'])
  assert.equal(room.bytes, 0)
})

test('a hundred quick bodies of one network, read at the same moment, are all read: they have arrived', async () => {
  const room = new StrangersRoom({ bytesMax: 100_000, clock: createFrozenClock() })
  const readBody = createReadStrangersBody(room)
  const waiting: { request: IncomingMessage; response: ServerResponse }[] = []
  const server = createServer((request, response) => void waiting.push({ request, response }))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => server.close())
  after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const answers = Array.from({ length: 100 }, () =>
    fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'x'.repeat(300) }),
  )
  await until(() => waiting.filter(({ request }) => request.complete).length === answers.length)
  const reads = await Promise.all(
    waiting.map(({ request, response }) =>
      readBody({ raw: request, ip: '127.0.0.1' }, { raw: response }, 1_000).finally(() =>
        response.end(),
      ),
    ),
  )
  assert.deepEqual(
    [...new Set(reads.map((read) => ('bytes' in read ? read.bytes.length : read.refused)))],
    [300],
  )
  await Promise.all(answers.map(async (answer) => (await answer).text()))
})

test('a body in pieces of one byte takes no more memory than its bytes: no piece is kept', async () => {
  const room = new StrangersRoom({ bytesMax: 1_000, clock: createFrozenClock() })
  const request = new PassThrough() as unknown as IncomingMessage & PassThrough
  const response = {} as ServerResponse
  const reading = createReadStrangersBody(room)(
    { raw: request, ip: '127.0.0.2' },
    { raw: response },
    1_000,
  )
  const piece = Buffer.alloc(1)
  for (let count = 1; count <= 500; count++) {
    piece[0] = count % 251
    request.write(piece)
    await until(() => room.bytes === count)
  }
  request.end()
  const bytes = Buffer.from(Array.from({ length: 500 }, (_, index) => (index + 1) % 251))
  const read = await reading
  // What was read first is the piece itself: a body in one piece is not copied.
  assert.deepEqual('bytes' in read && read.bytes.subarray(1), bytes.subarray(1))
})

test('strangers have a small part of a machine of 512 MB, and of a large one', () => {
  const small = { total: 512 * megabyte, heap: 256 * megabyte }
  assert.ok(strangerBytesMax(small) <= 3 * megabyte && strangerBytesMax(small) >= 2 * megabyte)
  assert.ok(strangerBytesMax(small) < bodyBytesMax(small))
  assert.equal(
    strangerBytesMax({ total: 64_000 * megabyte, heap: 4_000 * megabyte }),
    16 * megabyte,
  )
})

test('connections without a key: the oldest beyond the limit of their network are ended; known ones and those of proxies stay', async () => {
  for (const [trustProxy, ended] of [
    [false, 5],
    ['10.0.0.0/8, 127.0.0.2', 0],
    [true, 0],
  ] as const) {
    const connections = createStrangersConnections(trustProxy)
    const accepted: Socket[] = []
    const server = listenFor((socket) => {
      connections.enter(socket.on('error', () => undefined))
      accepted.push(socket)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const opened: Socket[] = []
    for (let count = 0; count < strangersConnectionsMax + 6; count++) {
      opened.push(
        connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' }).on(
          'error',
          () => undefined,
        ),
      )
      await until(() => accepted.length === count + 1)
    }
    const [known] = accepted
    if (known) connections.markKnown(known)
    connections.sweep()
    assert.equal(
      accepted.filter(({ destroyed }) => destroyed).length,
      0,
      'a connection has time to become known',
    )
    connections.sweep()
    assert.deepEqual(
      accepted.flatMap(({ destroyed }, index) => (destroyed ? [index] : [])),
      Array.from({ length: ended }, (_, index) => index + 1),
    )
    for (const socket of opened) socket.destroy()
    server.close()
  }
})

test('thousands of connections of one network at once: a thousand stay, the oldest end without delay', () => {
  const connections = createStrangersConnections(false)
  const enter = (remoteAddress: string): Socket => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
    connections.enter(socket)
    return socket
  }
  const other = enter('192.0.2.1')
  const flood = Array.from({ length: burstMax + 500 }, (_, host) =>
    enter(`2001:db8::${host.toString(16)}`),
  )
  assert.deepEqual(
    flood.map(({ destroyed }) => destroyed),
    flood.map((_, index) => index < 500),
  )
  assert.equal(other.destroyed, false)
})
