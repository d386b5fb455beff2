/**
 * How receivers may behave, and what the journal, the ladder and replays make of it (spec: Delivery
 * rules; semantics 4).
 */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { WebhookDelivery } from '../../../src/contract/webhooks.ts'
import { publishEvents } from '../../../src/core/events/publish-events.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered, textAt } from '../../support/ask.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'
import { until } from '../../support/until.ts'

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
// No call of its receivers ends by its time, however busy the machine.
const api = await startApi({ log: quiet, outbound: { withinMs: 3_600_000 } })
const { service } = api
const receiver = await startReceiver()
let hooks = 0

/** Speaks no HTTP: calls back for each socket. */
async function startRaw(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const drips = await startRaw((socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
  const timer = setInterval(() => socket.write('x'), 1_000)
  socket.on('close', () => clearInterval(timer))
})
let octetsTaken = 0
const pours = await startRaw((socket) => {
  const piece = Buffer.alloc(65_536, 'x')
  socket.once('data', () => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n`)
    const pour = (): void => {
      while (!socket.destroyed && octetsTaken < 104_857_600 && socket.write(piece))
        octetsTaken += piece.length
    }
    socket.on('drain', pour)
    pour()
  })
})
const resets = await startRaw((socket) => socket.once('data', () => socket.resetAndDestroy()))
const breaks = await startRaw((socket) =>
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')),
)
const hangs = await startRaw((socket) => socket.resume())

const shop = await api.workspace('deliveries')
const stopAt = await api.stopTime()
// Its clock is not moved, and its calls have their time.
const other = await startApi({ log: quiet })
const apart = await other.workspace('apart')
const call = (line: string, body?: object, of = shop) =>
  ask((of === shop ? api : other).baseUrl, line, { key: of.key, ...(body && { body }) })

/** A webhook of its own, with one pending event that workers have not seen yet. */
async function openHook(url: string, of = shop) {
  const id = textAt(
    await call('POST /api/v1/webhooks', { url, events: ['campaign.sent'], name: `n${hooks}` }, of),
    'id',
  )
  return {
    id,
    publish: async (data: object = { n: ++hooks }) => {
      const { service: its } = of === shop ? api : other
      await its.db.transaction((tx) => publishEvents(tx, of.id, [{ type: 'campaign.sent', data }]))
      its.wake('webhook')
    },
    journal: async (): Promise<WebhookDelivery[]> => {
      const page = await call(`GET /api/v1/webhooks/${id}/deliveries`, undefined, of)
      return (page.body as { data: WebhookDelivery[] }).data
    },
    forget: () => call(`DELETE /api/v1/webhooks/${id}`, undefined, of),
  }
}

type Hook = Awaited<ReturnType<typeof openHook>>

/** The newest entry, once it has so many attempts in its log. */
const attempted = (hook: Hook, attempts: number): Promise<WebhookDelivery> =>
  until(
    async () => (await hook.journal())[0],
    (entry) => entry !== undefined && entry.attempt_log.length >= attempts,
  )

/** Begins with the file, and takes as long as it. */
const drip = await openHook(`http://127.0.0.1:${drips}/`, apart)
await drip.publish()

for (const [title, status] of [
  ['500', 500],
  ['410', 410],
  ['302 to elsewhere', 302],
  ['404', 404],
] as const) {
  test(`an answer ${title}: pending, recorded in the journal, and retried after 30 s`, async () => {
    const hook = await openHook(`${receiver.url}/${title.slice(0, 3)}`)
    receiver.answer = (_request, response) =>
      void response
        .writeHead(status, { Location: `http://127.0.0.1:${receiver.port}/elsewhere` })
        .end('no\0')
    await hook.publish()
    const entry = await attempted(hook, 1)
    assert.deepEqual(
      [entry.status, entry.attempts, entry.response_status, entry.response_body],
      ['pending', 1, status, 'no\uFFFD'],
    )
    assert.match(entry.error ?? '', new RegExp(String(status)))
    const wait = Date.parse(entry.next_attempt_at ?? '') - Date.parse(entry.last_attempt_at ?? '')
    assert.equal(wait, 30_000)
    assert.ok(receiver.calls.every(({ path }) => path !== '/elsewhere'))
    await hook.forget()
  })
}

test('a reset connection and a refused one are failures with their reason', async () => {
  for (const [port, reason] of [
    [resets, 'ECONNRESET'],
    [1, 'ECONNREFUSED'],
  ] as const) {
    const hook = await openHook(`http://127.0.0.1:${port}/`)
    await hook.publish()
    const entry = await attempted(hook, 1)
    assert.deepEqual([entry.status, entry.response_status], ['pending', null])
    assert.match(entry.error ?? '', new RegExp(reason))
    await hook.forget()
  }
})

test('100 MB of answer: delivered at once, 2 KB of it stored, the rest not read', async () => {
  const hook = await openHook(`http://127.0.0.1:${pours}/`)
  await hook.publish()
  const entry = await attempted(hook, 1)
  assert.deepEqual([entry.status, entry.response_body?.length], ['delivered', 2_048])
  assert.ok(octetsTaken < 20_000_000, `${octetsTaken}`)
  await hook.forget()
})

test('the ladder: again after 30 s, 2 min, 10 min and 1 h by the database, then failed; same id and bytes, a fresh t', async () => {
  const hook = await openHook(`${receiver.url}/ladder`)
  let answered = 0
  receiver.answer = (_request, response) =>
    void response.writeHead(500 + ++answered).end(`no ${answered}`)
  const ladder = [30, 120, 600, 3_600]
  let offset = 0
  const sentAfter = [Date.now()]
  await hook.publish()
  for (const [rung, seconds] of ladder.entries()) {
    const entry = await attempted(hook, rung + 1)
    assert.equal(entry.status, 'pending')
    const wait =
      (Date.parse(entry.next_attempt_at ?? '') - Date.parse(entry.last_attempt_at ?? '')) / 1000
    assert.equal(wait, seconds, `rung ${rung}`)
    offset += seconds
    sentAfter.push(Date.now())
    await stopAt(offset)
    service.wake('webhook')
  }
  const entry = await attempted(hook, 5)
  // It runs on from there: the newest entry of a journal is the last one.
  await api.moveClock(`${offset} seconds`)
  assert.deepEqual([entry.status, entry.attempts, entry.next_attempt_at], ['failed', 5, null])
  assert.deepEqual(
    entry.attempt_log.map(({ attempt, status, response_status, response_body }) => [
      attempt,
      status,
      response_status,
      response_body,
    ]),
    [1, 2, 3, 4, 5].map((n) => [n, 'failed', 500 + n, `no ${n}`]),
  )
  const calls = receiver.calls.filter(({ path }) => path.endsWith('/ladder'))
  assert.equal(calls.length, 5)
  assert.equal(new Set(calls.map(({ body }) => body)).size, 1)
  assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 1)
  for (const [rung, { headers, atMs }] of calls.entries()) {
    const [, t] = /t=(\d+)/.exec(String(headers['service-signature'])) ?? []
    assert.ok(
      Number(t) >= Math.floor((sentAfter[rung] ?? Infinity) / 1000) && Number(t) <= atMs / 1000,
      `t=${t}`,
    )
  }
})

test('the journal has status and beginning of the response of every attempt: of deliveries, of replays and of tests', async () => {
  const hook = await openHook(`${receiver.url}/kept`)
  // The thousandth character has two UTF-16 units, and PostgreSQL takes no half of it.
  const long = `${'x'.repeat(999)}${'\u{1F389}'.repeat(100)}`
  const answers: [number, string][] = [
    [500, 'first'],
    [200, 'second'],
    [404, ''],
    [200, long],
  ]
  receiver.answer = (_request, response, { path }) => {
    const [status = 200, body = ''] = (path.endsWith('/kept') && answers.shift()) || []
    response.writeHead(status).end(body)
  }
  await hook.publish()
  const { id } = await attempted(hook, 1)
  for (const status of ['delivered', 'failed', 'delivered']) {
    assertAnswered(await call(`POST /api/v1/webhooks/${hook.id}/deliveries/${id}/replay`), 200, {
      status,
    })
  }
  const [entry] = await hook.journal()
  assert.deepEqual(
    entry?.attempt_log.map(({ status, response_status, response_body }) => [
      status,
      response_status,
      response_body,
    ]),
    [
      ['failed', 500, 'first'],
      ['delivered', 200, 'second'],
      ['failed', 404, ''],
      ['delivered', 200, long.slice(0, 1_001)],
    ],
  )
  receiver.answer = (_request, response) => void response.end('x'.repeat(1_500))
  await call(`POST /api/v1/webhooks/${hook.id}/test`)
  const [tried] = await hook.journal()
  assert.deepEqual([tried?.test, tried?.response_body?.length], [true, 1_500])
  assert.deepEqual(
    tried?.attempt_log.map(({ status, response_status, response_body }) => [
      status,
      response_status,
      response_body?.length,
    ]),
    [['delivered', 200, 1_000]],
  )
  await hook.forget()
})

test('a replay sends the same bytes freshly signed, from any state; its answer has the status of its own attempt', async () => {
  const hook = await openHook(`${receiver.url}/replay`)
  receiver.answer = (_request, response) => void response.writeHead(500).end('bad')
  await hook.publish()
  const { id } = await attempted(hook, 1)
  const replay = async () =>
    (await call(`POST /api/v1/webhooks/${hook.id}/deliveries/${id}/replay`)).body
  assert.deepEqual(await replay(), {
    ...{
      object: 'webhook_delivery',
      id,
      status: 'failed',
      attempts: 2,
      response_status: 500,
      error: 'answered 500',
    },
  })
  receiver.answer = (_request, response) => void response.end('ok')
  assert.deepEqual(await replay(), {
    ...{
      object: 'webhook_delivery',
      id,
      status: 'delivered',
      attempts: 3,
      response_status: 200,
      error: null,
    },
  })
  assert.equal((await attempted(hook, 3)).next_attempt_at, null, 'the ladder has ended')
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  assert.deepEqual(await replay(), {
    ...{
      object: 'webhook_delivery',
      id,
      status: 'failed',
      attempts: 4,
      response_status: 500,
      error: 'answered 500',
    },
  })
  const [stored] = await hook.journal()
  assert.deepEqual(
    [stored?.status, stored?.next_attempt_at, stored?.attempt_log.at(-1)?.status],
    ['delivered', null, 'failed'],
  )
  const bodies = receiver.calls
    .filter(({ path }) => path.endsWith('/replay'))
    .map(({ body }) => body)
  assert.equal(bodies.length, 4)
  assert.equal(new Set(bodies).size, 1)
})

test('a range is replayed: failed events, those missed while disabled, and all of them on request', async () => {
  const from = new Date(Date.now() - 1_000).toISOString()
  receiver.answer = (_request, response) => void response.end()
  const hook = await openHook(`${receiver.url}/range`)
  const since =
    (await service.db.rows<{ at: string }>(sql`select facteur_now()::text as at`))[0]?.at ?? from
  await hook.publish()
  await attempted(hook, 1)
  assertAnswered(await call(`PATCH /api/v1/webhooks/${hook.id}`, { enabled: false }), 200)
  await hook.publish()
  assert.equal((await hook.journal()).length, 1, 'nothing new is queued while it is disabled')
  assertAnswered(await call(`PATCH /api/v1/webhooks/${hook.id}`, { enabled: true }), 200)
  const queued = async (only: string) =>
    (
      await call(`POST /api/v1/webhooks/${hook.id}/replay`, {
        from: new Date(since).toISOString(),
        only,
      })
    ).body as {
      queued: number
    }
  assert.equal((await queued('undelivered')).queued, 1)
  assert.equal((await attempted(hook, 1)).status, 'delivered')
  assert.equal((await hook.journal()).length, 2)
  assert.equal((await queued('all')).queued, 2)
  assert.equal((await attempted(hook, 2)).status, 'delivered')
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  assert.equal((await queued('all')).queued, 2)
  const { status, error, attempt_log } = await attempted(hook, 3)
  assert.deepEqual(
    [status, error, attempt_log.map((created) => created.status)],
    [...['delivered', 'answered 500'], ['delivered', 'delivered', 'failed']],
  )
})

test('pending events of a disabled webhook wait, and go out when it is enabled', async () => {
  const hook = await openHook(`${receiver.url}/held`)
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  await hook.publish()
  await attempted(hook, 1)
  await call(`PATCH /api/v1/webhooks/${hook.id}`, { enabled: false })
  await service.db.count(
    sql`update webhook_delivery set next_at = facteur_now() where workspace_id = ${shop.id} and webhook_id = ${hook.id}`,
  )
  receiver.answer = (_request, response) => void response.end()
  // An event for another webhook meanwhile shows that the worker has passed this one.
  const enabled = await openHook(`${receiver.url}/enabled`)
  await enabled.publish()
  await attempted(enabled, 1)
  assert.equal((await hook.journal())[0]?.attempts, 1)
  await call(`PATCH /api/v1/webhooks/${hook.id}`, { enabled: true })
  assert.equal((await attempted(hook, 2)).status, 'delivered')
})

test('a receiver that hangs delays only itself', async () => {
  const hang = await openHook(`http://127.0.0.1:${hangs}/`)
  for (let n = 0; n < 40; n++) await hang.publish()
  receiver.answer = (_request, response) => void response.end()
  const quick = await openHook(`${receiver.url}/quick`)
  const quickCalls = (): number =>
    receiver.calls.filter(({ path }) => path.endsWith('/quick')).length
  for (let n = 0; n < 20; n++) {
    const before = quickCalls()
    await quick.publish()
    await until(() => quickCalls() > before)
  }
  assert.ok(
    (await hang.journal()).every(({ attempts }) => attempts === 0),
    'all came while it hung',
  )
  await hang.forget()
})

test('200 whose body breaks off: failed, with the bytes that came and the reason', async () => {
  const hook = await openHook(`http://127.0.0.1:${breaks}/`)
  await hook.publish()
  const { status, response_status, response_body, error } = await attempted(hook, 1)
  assert.deepEqual([status, response_status, response_body], ['pending', 200, 'half'])
  assert.equal(error, 'answered 200, but the connection failed before the body ended (ECONNRESET)')
  await hook.forget()
})

test('a byte a second: the whole call has 15 seconds, then it failed; the error says that the body did not end', async () => {
  const entry = await attempted(drip, 1)
  assert.deepEqual([entry.status, entry.response_status], ['pending', 200])
  assert.match(entry.response_body ?? '', /^x+$/)
  assert.equal(entry.error, 'answered 200, but the body did not end within 15 seconds (ETIMEDOUT)')
  assert.equal(entry.attempt_log[0]?.response_body, entry.response_body)
  assert.ok((entry.duration_ms ?? 0) >= 14_900)
  // A slow machine drips as slowly.
  assert.ok((entry.response_body ?? '').length <= 16)
})
