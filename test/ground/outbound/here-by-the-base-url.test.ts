/**
 * Whether callers' URLs reach this machine is decided by the base URL, never by the address that
 * the service listens on.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { readConfig } from '../../../src/ground/config.ts'
import { openOutbound } from '../../../src/main/open-outbound.ts'
import { blocksOf } from '../../support/page-blocks.ts'

/** As the administration of a proxy: it obeys every caller on loopback. */
let obeyed = 0
const administration = createServer((socket) => {
  obeyed++
  socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
})
await new Promise<void>((listening) => administration.listen(0, '127.0.0.1', listening))
after(() => administration.close())
const address = administration.address()
const port = typeof address === 'object' && address ? address.port : 0

/** What the page of proxies tells operators to set. */
const documented = Object.fromEntries(
  (blocksOf('docs/reverse-proxy.md', 'sh')[0] ?? '')
    .trim()
    .split('\n')
    .map((line): [string, string] => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]),
)

/** How often the port is reached by a webhook's post and by a check of a link. */
async function reached(settings: Record<string, string>): Promise<number> {
  const outbound = openOutbound(readConfig(settings))
  const before = obeyed
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
    const url = new URL(`http://${host}:${port}/stop`)
    await outbound.send({
      method: 'POST',
      url,
      headers: {},
      body: '{}',
      withinMs: 15_000,
      readMax: 0,
    })
    await outbound.ask(url, new AbortController().signal)
  }
  await outbound.close()
  return obeyed - before
}

test('behind the proxy of the documentation nothing on this machine is reached, on whichever address the service listens', async () => {
  assert.equal(documented['FACTEUR_BASE_URL'], 'https://mail.example.com')
  assert.equal(await reached(documented), 0)
  for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0']) {
    assert.equal(await reached({ ...documented, FACTEUR_HOST: host }), 0, `listening on ${host}`)
  }
  assert.equal(
    await reached({ FACTEUR_BASE_URL: 'http://192.168.1.7:3025' }),
    0,
    'an address of the network is not this machine alone',
  )
})

test('a service of this machine reaches its ports; elsewhere the operator allows a range', async () => {
  assert.ok((await reached({})) > 0)
  assert.ok(
    (await reached({ FACTEUR_BASE_URL: 'http://localhost:3025', FACTEUR_HOST: '0.0.0.0' })) > 0,
  )
  assert.ok((await reached({ ...documented, FACTEUR_ALLOWED_RANGES: '127.0.0.0/8' })) > 0)
})

test('a webhook of this machine is refused when it is created, where the base URL is public', () => {
  const outbound = openOutbound(readConfig(documented))
  assert.equal(outbound.check(new URL(`https://127.0.0.1:${port}/stop`)), 'address')
  assert.equal(outbound.check(new URL(`http://127.0.0.1:${port}/stop`)), 'plain_http')
})
