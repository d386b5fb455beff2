/** `POST /emails` fetches attachments that are given by `path`: what it takes, and whom it calls. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { CallContext } from '../../src/core/context.ts'
import { createFetchSlots } from '../../src/core/fetch-slots.ts'
import { withFetchedFiles } from '../../src/core/sending/fetch-files.ts'
import { readEmail } from '../../src/core/sending/read-email.ts'
import type { BodyLoad } from '../../src/core/dispatch/entry-points.ts'
import { addMcpRoutes } from '../../src/entrypoints/mcp/add-mcp-routes.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { startFileServer, type Serve } from '../support/file-server.ts'
import { at } from '../support/json.ts'
import { clientOf } from '../support/mcp.ts'
import { until } from '../support/until.ts'

/** Responses that wait until a test ends them. */
const withheld: (() => void)[] = []
const ok =
  (content: string | Buffer, type = 'text/html'): Serve =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(content)
const bytes =
  (count: number): Serve =>
  (response) => {
    // Without a Content-Length.
    response.writeHead(200)
    for (let left = count; left > 0; left -= 1_048_576)
      response.write(Buffer.alloc(Math.min(left, 1_048_576)))
    response.end()
  }
const mebibyte = 1024 * 1024
const server = await startFileServer(['files.test', 'inside.test', 'mixed.test', 'unknown.test'], {
  '/a.txt': ok('bonjour'),
  '/b.txt': ok('bonsoir'),
  '/empty': ok(''),
  '/facture%20n%C2%B01.pdf': ok('%PDF-1'),
  '/held': (response) => void withheld.push(() => response.end('done')),
  '/moved': (response) => response.writeHead(302, { location: '/a.txt' }).end(),
  '/gone': (response) => response.writeHead(410).end('secret of the host'),
  '/created': (response) => response.writeHead(201).end('a'),
  '/part': (response) => response.writeHead(206, { 'content-range': 'bytes 0-0/2' }).end('a'),
  '/zipped': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('a'),
  '/short': (response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half')
    response.socket?.end()
  },
  '/stalled': (response) => response.writeHead(200).write('slowly'),
  '/15M': bytes(15 * mebibyte),
  '/10M': bytes(10 * mebibyte),
  '/one-more': bytes(10 * mebibyte + 1),
  '/endless': (response) => {
    response.writeHead(200, { 'content-length': 1_000_000_000 })
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(mebibyte), more)
    }
    more()
  },
})
const addresses: Record<string, string[]> = {
  'files.test': ['127.0.0.1'],
  'inside.test': ['10.0.0.1'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'mapped.test': ['::ffff:10.0.0.1'],
}
const outbound = {
  authorities: server.authorities,
  resolve: (host: string) =>
    Promise.resolve(
      (addresses[host] ?? []).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    ),
}
let load = (): BodyLoad => assert.fail('no bodies are watched')
const api = await startApi({
  outbound,
  entry: (service) => ({
    addRoutes: (_, __, entryPoints) => addMcpRoutes(entryPoints, service),
    onBodies: (read) => (load = read),
  }),
})
const hasty = await startApi({ outbound: { ...outbound, withinMs: 100 } })
const outside = await startApi({ outbound: { ...outbound, ranges: [] } })
/** A workspace for each test: its files are counted apart. */
let workspaces = 0
const open = (of = api): Promise<TestWorkspace> => of.workspace(`shop${++workspaces}`)

const url = (path: string, host = 'files.test'): string => `https://${host}:${server.port}${path}`
const mailOf = ({ domain }: TestWorkspace, attachments: unknown[]) => ({
  from: `hello@${domain}`,
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
  attachments,
})
const send = (
  shop: TestWorkspace,
  attachments: unknown[],
  { of = api, key = shop.key, idempotency = '' } = {},
): Promise<Answer> =>
  ask(of.baseUrl, 'POST /api/v1/emails', {
    key,
    body: mailOf(shop, attachments),
    headers: { 'idempotency-key': idempotency },
  })
const mailSent = async (shop: TestWorkspace, answer: Answer): Promise<string> => {
  assertAnswered(answer, 202)
  const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
  return String(raw)
}
const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** How often the server was asked meanwhile. */
const asksOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = server.requests.length
  await work()
  return server.requests.length - before
}

test('202: a file by path arrives with its bytes, between those that came in the call', async () => {
  const shop = await open()
  const mail = await mailSent(
    shop,
    await send(shop, [
      { filename: 'first.txt', content: base64('premier') },
      { filename: 'second.txt', path: url('/a.txt') },
      { filename: 'third.txt', content: base64('dernier') },
      { filename: 'fourth.txt', path: url('/b.txt?signature=x') },
    ]),
  )
  const places = ['premier', 'bonjour', 'dernier', 'bonsoir'].map((text) =>
    mail.indexOf(base64(text)),
  )
  assert.ok(
    places.every((index) => index > 0),
    mail,
  )
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.equal(server.requests.at(-1), '/b.txt?signature=x')
})

test('202: the name is the last part of the address, the type that of the name, unless they are given', async () => {
  const shop = await open()
  const mail = await mailSent(
    shop,
    await send(shop, [
      { path: `${url('/facture%20n%C2%B01.pdf')}#page=2` },
      { path: url('/a.txt'), filename: 'note', content_type: 'text/calendar', content_id: 'note' },
    ]),
  )
  assert.match(mail, /Content-Type: application\/pdf/i)
  assert.ok(mail.includes("filename*=UTF-8''facture%20n%C2%B01.pdf"), mail)
  assert.match(mail, /Content-Type: text\/calendar/i)
  assert.match(mail, /Content-ID: <note>/)
  assert.doesNotMatch(mail, /a\.txt/)
})

test('202: an empty file, and an empty content beside a path, as SDKs write an unset field', async () => {
  const shop = await open()
  await mailSent(shop, await send(shop, [{ path: url('/empty'), filename: 'none' }]))
  const mail = await mailSent(shop, await send(shop, [{ path: url('/a.txt'), content: '' }]))
  assert.ok(mail.includes(base64('bonjour')))
  const withContent = await mailSent(shop, await send(shop, [{ path: '', content: base64('ici') }]))
  assert.ok(withContent.includes(base64('ici')))
})

const failures: [situation: string, path: string][] = [
  ['a redirect', url('/moved')],
  ['404', url('/nothing')],
  ['410 with a body', url('/gone')],
  ['201', url('/created')],
  ['a part of the file', url('/part')],
  ['a compressed file', url('/zipped')],
  ['a connection that ends within the file', url('/short')],
  ['more bytes than all files may have', url('/endless')],
  ['a private address', 'https://10.0.0.1/a.txt'],
  ['a private IPv6 address', 'https://[fd00::1]/a.txt'],
  ['a private address, mapped into IPv6', 'https://[::ffff:10.0.0.1]/a.txt'],
  ['the address of a cloud for its machines', 'https://169.254.169.254/latest/meta-data'],
  ['a private address as a number', 'https://167772161/a.txt'],
  ['a name that leads to a private address', url('/a.txt', 'inside.test')],
  ['a name of which one address is private', url('/a.txt', 'mixed.test')],
  ['a name that leads to a mapped private address', url('/a.txt', 'mapped.test')],
  ['a name without an address', url('/a.txt', 'unknown.test')],
  ['a certificate for another name', url('/a.txt', '127.0.0.1')],
]
test('422 validation_error: whatever keeps a file from coming, the sentence is the same, and says nothing of the answer', async () => {
  const known = new Set<string>()
  for (const [situation, path] of failures) {
    const shop = await open()
    const answer = await send(shop, [{ content: 'AA==' }, { path }])
    assertRefused(answer, 'validation_error', {
      path: 'attachments.1.path',
      rule: 'attachment_fetch',
    })
    const { headers: _, ...output } = answer
    known.add(JSON.stringify(output))
    assert.equal(known.size, 1, `${situation}: ${[...known].join('\n')}`)
    assert.equal(await shop.messages(), 0, situation)
  }
  assert.doesNotMatch([...known].join(''), /\b[1-5]\d\d\b(?<!422)|secret|files\.test/)
})

test('422 validation_error: a redirect is not followed, and private addresses are not even dialled', async () => {
  assert.equal(await asksOf(async () => send(await open(), [{ path: url('/moved') }])), 1)
  // Its base URL says that it is not of this machine: loopback is private to it.
  const shop = await open(outside)
  const before = server.connections()
  for (const host of [
    'files.test',
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '0x7f000001',
    'mixed.test',
  ]) {
    const answer = await send(shop, [{ path: url('/a.txt', host) }], { of: outside })
    assertRefused(answer, 'validation_error', { rule: 'attachment_fetch' })
  }
  assert.equal(server.connections(), before)
})

test('422 validation_error: a body that does not end in time', async () => {
  const shop = await open(hasty)
  assertRefused(await send(shop, [{ path: url('/stalled') }], { of: hasty }), 'validation_error', {
    path: 'attachments.0.path',
    rule: 'attachment_fetch',
  })
})

test('202 at exactly 25 MB in all, and 422 validation_error: a byte more', async () => {
  const shop = await open()
  assertAnswered(await send(shop, [{ path: url('/15M') }, { path: url('/10M') }]), 202)
  for (const attachments of [
    [{ path: url('/15M') }, { path: url('/one-more') }],
    [{ content: 'AA==' }, { path: url('/15M') }, { path: url('/10M') }],
  ]) {
    assertRefused(await send(shop, attachments), 'validation_error', {
      path: `attachments.${attachments.length - 1}.path`,
      rule: 'attachment_fetch',
    })
  }
  await until(() => load().retained === 0)
})

test('nothing is fetched for a call without permission, with a wrong shape, or in a batch', async () => {
  const shop = await open()
  const reader = await shop.makeKey(['campaigns:read'])
  const file = { path: url('/a.txt') }
  const answer = await asksOf(async () => {
    assertRefused(await send(shop, [file], { key: reader }), 'insufficient_scope')
    assertRefused(await send(shop, [file, { content: '***' }]), 'validation_error')
    assertRefused(await send(shop, [file, { path: 'http://files.test/a' }]), 'validation_error')
    const past = { ...mailOf(shop, [file]), scheduled_at: '2020-01-01T00:00:00Z' }
    assertRefused(
      await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: past }),
      'validation_error',
    )
    const batch = [mailOf(shop, []), mailOf(shop, [file])]
    assertRefused(
      await ask(api.baseUrl, 'POST /api/v1/emails/batch', { key: shop.key, body: batch }),
      'validation_error',
      { path: '1.attachments.0.path', rule: 'not_supported' },
    )
  })
  assert.equal(answer, 0)
})

test('202: a replay fetches nothing; 409 idempotency_key_reused: another address with its key', async () => {
  const shop = await open()
  const again = { idempotency: 'invoice-1' }
  const first = await send(shop, [{ path: url('/a.txt') }], again)
  assertAnswered(first, 202)
  const answer = await asksOf(async () => {
    const replay = await send(shop, [{ path: url('/a.txt') }], again)
    assertAnswered(replay, 202, { id: textAt(first, 'id') })
    assert.equal(replay.headers.get('idempotent-replay'), 'true')
    for (const attachments of [
      [{ path: url('/b.txt') }],
      [{ path: url('/a.txt?v=2') }],
      [{ path: url('/a.txt'), filename: 'b.txt' }],
      [{ content: base64('bonjour'), filename: 'a.txt' }],
    ])
      assertRefused(await send(shop, attachments, again), 'idempotency_key_reused')
  })
  assert.equal(answer, 0)
})

test('202: a call whose file did not come used no key up; another workspace may use the same key', async () => {
  const [shop, other] = [await open(), await open()]
  const again = { idempotency: 'invoice-2' }
  assertRefused(await send(shop, [{ path: url('/nothing') }], again), 'validation_error')
  assertAnswered(await send(shop, [{ path: url('/a.txt') }], again), 202)
  const result = await asksOf(async () => {
    const answer = await send(other, [{ path: url('/a.txt') }], again)
    assertAnswered(answer, 202)
    assert.equal(answer.headers.get('idempotent-replay'), null)
  })
  assert.equal(result, 1)
})

test('429 rate_limit_exceeded: a sixty-first file of a workspace in a minute, in whichever process', async () => {
  const second = await startApi({ outbound, database: api.database })
  const later = await api.stopTime()
  const [shop, other] = [await open(), await open()]
  const files = (count: number) => Array.from({ length: count }, () => ({ path: url('/a.txt') }))
  for (const each of [api, second, api, second, api])
    assertAnswered(await send(shop, files(10), { of: each }), 202)
  assertAnswered(await send(shop, files(5)), 202)
  const answer = await asksOf(async () => {
    for (const each of [api, second])
      assertRefused(await send(shop, files(6), { of: each }), 'rate_limit_exceeded', {
        reason: 'fetches',
        limit: 60,
      })
  })
  assert.equal(answer, 0)
  // What was refused did not count, and other workspaces have their own.
  assertAnswered(await send(shop, files(5), { of: second }), 202)
  const refused = await send(shop, files(1))
  assertRefused(refused, 'rate_limit_exceeded')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assertAnswered(await send(other, files(1)), 202)
  assertAnswered(await send(shop, [{ content: 'AA==' }]), 202)
  await later(62)
  assertAnswered(await send(shop, files(10)), 202)
})

test('two calls of a workspace fetch at once, with their memory reserved; a third waits, other workspaces do not', async () => {
  const [shop, other] = [await open(), await open()]
  const slow = () => send(shop, [{ path: url('/held') }])
  const calls = [slow(), slow()]
  await until(() => withheld.length === 2)
  const ownBodies = load().retained - 2 * limits.fetchedBytesMax
  assert.ok(ownBodies > 0 && ownBodies < 4096, String(load().retained))
  calls.push(slow())
  assertAnswered(await send(other, [{ path: url('/a.txt') }]), 202)
  assert.equal(withheld.length, 2)
  withheld[0]?.()
  await until(() => withheld.length === 3)
  for (const end of withheld) end()
  for (const answer of await Promise.all(calls)) assertAnswered(answer, 202)
  await until(() => load().retained === 0)
})

test('429 rate_limit_exceeded: no slot within the time; a freed one goes to the first that waits', async () => {
  const slots = createFetchSlots(1)
  const [first] = [await slots.take(1), await slots.take(1)]
  await slots.take(2)
  await assert.rejects(slots.take(1), { code: 'rate_limit_exceeded' })
  const patient = createFetchSlots()
  const [free] = [await patient.take(1), await patient.take(1)]
  const turns: number[] = []
  const waiting = [1, 2].map(async (turn) => {
    const next = await patient.take(1)
    turns.push(turn)
    return next
  })
  assert.deepEqual(turns, [])
  free?.()
  const next = await waiting[0]
  assert.deepEqual(turns, [1])
  next?.()
  await waiting[1]
  first?.()
  await slots.take(1)
})

/** What a verb gets, with a clock that the test sets forward. */
const contextOf = (shop: TestWorkspace, parts: Partial<CallContext>): CallContext => ({
  ...api.service,
  workspaceId: shop.id,
  apiKey: { id: '', name: '', prefix: '', scopes: [] },
  user: null,
  requester: { address: '', userAgent: '' },
  language: 'en',
  ...parts,
})
const emailOf = (shop: TestWorkspace, paths: string[]) =>
  readEmail(
    mailOf(
      shop,
      paths.map((path) => ({ path: url(path) })),
    ) as Parameters<typeof readEmail>[0],
  )

test('ten seconds are for all files of a call together', async () => {
  const shop = await open()
  let nowMs = 0
  const within: number[] = []
  const ctx = contextOf(shop, {
    clock: { ...api.service.clock, monotonicMs: () => nowMs },
    outbound: {
      ...api.service.outbound,
      send(request) {
        within.push(request.withinMs)
        nowMs += 6_000
        return api.service.outbound.send({ ...request, withinMs: 10_000 })
      },
    },
  })
  const email = emailOf(shop, ['/a.txt', '/b.txt', '/a.txt'])
  await assert.rejects(withFetchedFiles(ctx, { email, work: () => assert.fail('it was sent') }), {
    code: 'validation_error',
  })
  assert.deepEqual(within, [10_000, 4_000])
})

test('500 internal_error, busy: no memory for the files; nothing is fetched, and no slot stays taken', async () => {
  const shop = await open()
  const reserved: number[] = []
  const full = contextOf(shop, {
    reserveMemory(count) {
      reserved.push(count)
      return Promise.resolve(null)
    },
  })
  const answer = await asksOf(async () => {
    for (let call = 0; call < 3; call++)
      await assert.rejects(
        withFetchedFiles(full, {
          email: emailOf(shop, ['/a.txt']),
          work: () => assert.fail('it was sent'),
        }),
        { code: 'internal_error' },
      )
  })
  assert.equal(answer, 0)
  assert.deepEqual(
    reserved,
    Array.from({ length: 3 }, () => limits.fetchedBytesMax),
  )
})

test('202: a call without path counts nothing and takes no memory, slot or answer of another host', async () => {
  const shop = await open()
  const before = { ...api.service.fetchSlots }
  Object.assign(api.service.fetchSlots, { take: () => assert.fail('a slot was taken') })
  assertAnswered(await send(shop, [{ content: 'AA==', path: null }]), 202)
  Object.assign(api.service.fetchSlots, before)
})

test('the tool send_email fetches too, by the same verb, and counts its memory', async () => {
  const shop = await open()
  const client = clientOf(api.baseUrl, shop.key, 'handshake')
  const observed = withheld.length
  const call = client.call('send_email', mailOf(shop, [{ path: url('/held') }]))
  await until(() => withheld.length === observed + 1)
  assert.ok(load().retained >= limits.fetchedBytesMax, String(load().retained))
  withheld.at(-1)?.()
  const result = await call
  assert.equal(at(result.body, 'object'), 'email', JSON.stringify(result))
  const refused = await client.call('send_email', mailOf(shop, [{ path: url('/gone') }]))
  assert.equal(at(refused.body, 'error', 'details', 'rule'), 'attachment_fetch')
})
