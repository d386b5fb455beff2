/**
 * Webhooks go to public addresses only: no connection to another is opened, counted at the socket
 * (security: What goes out).
 */
import assert from 'node:assert/strict'
import { createServer as createTls } from 'node:https'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { startApi } from '../../support/api.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../../support/ask.ts'

let connections = 0
const server = createServer((socket) => {
  connections++
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
})
await new Promise<void>((listening) => server.listen(0, '::', listening))
after(() => server.close())
const address = server.address()
const port = typeof address === 'object' && address ? address.port : 0

/** Public when it is checked for the first time, this machine from then on. */
let rebound = 0
const names: Record<string, () => string[]> = {
  'rebinding.example': () => (rebound++ === 0 ? ['93.184.215.14'] : ['127.0.0.1']),
  'inside.example': () => ['10.0.0.7'],
  'half.example': () => ['93.184.215.14', '127.0.0.1'],
  'mapped.example': () => ['::ffff:7f00:1'],
  'metadata.example': () => ['169.254.169.254'],
  'here.example': () => ['127.0.0.1'],
}
const resolve = (host: string): Promise<{ address: string; family: number }[]> =>
  Promise.resolve(
    (names[host]?.() ?? []).map((entry) => ({
      address: entry,
      family: entry.includes(':') ? 6 : 4,
    })),
  )

const strict = await startApi({ outbound: { ranges: [], resolve } })
const local = await startApi({ outbound: { resolve } })
const shop = await strict.workspace('strict')
const home = await local.workspace('home')

const create = (url: string) =>
  ask(strict.baseUrl, 'POST /api/v1/webhooks', {
    key: shop.key,
    body: { url, events: ['email.sent'] },
  })

for (const url of [
  ...[
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
  ],
  ...[
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16/',
    'https://[fd00:ec2::254]/',
    'https://10.0.0.1/',
    'https://0/',
  ],
]) {
  test(`422 at creation and change: ${url}`, async () => {
    assertRefused(await create(url), 'validation_error', { path: 'url', rule: 'url.address' })
    const id = textAt(await create('https://shop.example/hook'), 'id')
    const changed = await ask(strict.baseUrl, `PATCH /api/v1/webhooks/${id}`, {
      key: shop.key,
      body: { url },
    })
    assertRefused(changed, 'validation_error', { path: 'url', rule: 'url.address' })
    await ask(strict.baseUrl, `DELETE /api/v1/webhooks/${id}`, { key: shop.key })
  })
}

for (const [url, rule] of [
  ['http://shop.example/hook', 'url.plain_http'],
  ['ftp://shop.example/', 'url.scheme'],
  ['https://user:secret@shop.example/', 'url.credentials'],
  ['nonsense', 'uri'],
] as const) {
  test(`422 ${rule}: ${url}`, async () =>
    assertRefused(await create(url), 'validation_error', { path: 'url', rule }))
}

for (const name of Object.keys(names).filter(
  (entry) => entry !== 'here.example' && entry !== 'rebinding.example',
)) {
  test(`${name} is not called once its addresses are known`, async () => {
    const id = textAt(await create(`https://${name}:${port}/`), 'id')
    const before = connections
    const answer = await ask(strict.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
    assert.equal(textAt(answer, 'status'), 'failed')
    assert.match(textAt(answer, 'error'), /not public/)
    assert.equal(connections, before)
    await ask(strict.baseUrl, `DELETE /api/v1/webhooks/${id}`, { key: shop.key })
  })
}

test('a name that changes its address between two calls is checked at each connection', async () => {
  const id = textAt(await create(`https://rebinding.example:${port}/`), 'id')
  // A name that was public a moment ago is looked up again, and never by the system's own resolver.
  rebound = 1
  const before = connections
  const answer = await ask(strict.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
  assert.match(textAt(answer, 'error'), /not public/)
  assert.equal(rebound, 2, 'one look-up for one connection')
  assert.equal(connections, before)
})

test('this machine is called where its range is allowed, also by http and in every spelling', async () => {
  for (const host of ['127.0.0.1', '[::1]', '0x7f.1', '[::ffff:7f00:1]', 'here.example']) {
    const body = { url: `http://${host}:${port}/`, events: ['email.sent'] }
    const created = await ask(local.baseUrl, 'POST /api/v1/webhooks', { key: home.key, body })
    assertAnswered(created, 201)
    const before = connections
    const answer = await ask(local.baseUrl, `POST /api/v1/webhooks/${textAt(created, 'id')}/test`, {
      key: home.key,
    })
    assert.equal(textAt(answer, 'status'), 'delivered', host)
    assert.equal(connections, before + 1)
  }
})

test('http to a public address stays refused where ranges are allowed: the check is at the connection', async () => {
  names['public.example'] = () => ['93.184.215.14']
  const body = { url: `http://public.example:${port}/`, events: ['email.sent'] }
  const id = textAt(
    await ask(local.baseUrl, 'POST /api/v1/webhooks', { key: home.key, body }),
    'id',
  )
  const answer = await ask(local.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: home.key })
  assert.match(textAt(answer, 'error'), /http goes to/)
})

test('a certificate of an unknown authority is a failure', async () => {
  const tls = createTls(testCertificate, (_request, response) => response.end())
  await new Promise<void>((listening) => tls.listen(0, '127.0.0.1', listening))
  const tlsAddress = tls.address()
  const body = {
    url: `https://127.0.0.1:${typeof tlsAddress === 'object' && tlsAddress ? tlsAddress.port : 0}/`,
    events: ['email.sent'],
  }
  const id = textAt(
    await ask(local.baseUrl, 'POST /api/v1/webhooks', { key: home.key, body }),
    'id',
  )
  const answer = await ask(local.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: home.key })
  assert.equal(textAt(answer, 'status'), 'failed')
  assert.match(textAt(answer, 'error'), /CERT|SELF_SIGNED/)
  tls.close()
  tls.closeAllConnections()
})
