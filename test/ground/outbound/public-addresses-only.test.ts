/**
 * The outbound client calls public addresses only, and none that only we can reach (security: What
 * goes out).
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { after, test } from 'node:test'
import { createOutbound } from '../../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges, mayDial } from '../../../src/ground/outbound/check-address.ts'
import { freePort } from '../../support/free-port.ts'

const requests: { url: string | undefined; agent: string | undefined }[] = []
const port = await freePort()
const server = createServer((request, response) => {
  requests.push({ url: request.url, agent: request.headers['user-agent'] })
  if (request.url === '/moved') response.writeHead(302, { Location: '/elsewhere' }).end()
  else if (request.url === '/endless') response.write('x'.repeat(1_000_000))
  else if (request.url !== '/silent')
    response.writeHead(request.url === '/gone' ? 410 : 200).end('ok')
})
await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
after(() => {
  server.close()
  server.closeAllConnections()
})

const here = createOutbound({
  allowed: subnetList(loopbackRanges),
  allowsRanges: true,
  userAgent: 'Facteur',
})
const anywhere = createOutbound({
  allowed: subnetList([]),
  allowsRanges: false,
  userAgent: 'Facteur',
})
const never = new AbortController().signal
const base = `http://127.0.0.1:${port}`

const closed = [
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '100::1',
    '2001::1',
  ],
  ...[
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    'nonsense',
    '',
  ],
]
for (const address of closed) {
  test(`${address || 'nothing'} is not dialled`, () =>
    assert.equal(mayDial(address, subnetList([])), false))
}

for (const address of [
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
]) {
  test(`${address} is public`, () => assert.equal(mayDial(address, subnetList([])), true))
}

test('no address of this machine is dialled', () => {
  const ours = Object.values(networkInterfaces()).flatMap(
    (all) => all?.map(({ address }) => address) ?? [],
  )
  assert.ok(ours.length > 0)
  for (const address of ours) assert.equal(mayDial(address, subnetList([])), false, address)
})

test('a public address is dialled unless it is one of this machine', () => {
  const interfaces = {
    eth0: [{ address: '8.8.8.8' }, { address: '2606:4700::1111' }],
    lo: undefined,
  }
  for (const address of [
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2606:4700:0:0:0:0:0:1111',
    '2606:4700:0::1111',
  ])
    assert.equal(mayDial(address, subnetList([]), interfaces), false, address)
  assert.equal(mayDial('2606:4700::1112%eth0', subnetList([]), interfaces), false, 'a zone')
  for (const address of ['8.8.4.4', '2606:4700::1112'])
    assert.equal(mayDial(address, subnetList([]), interfaces), true, address)
  assert.equal(
    mayDial('8.8.8.8', subnetList(['8.8.8.8/32']), interfaces),
    true,
    'the operator allows it',
  )
})

test('a page is asked for at ports 80 and 443 alone, by address and by name, unless its range is allowed', async () => {
  const resolve = (): Promise<{ address: string; family: number }[]> =>
    Promise.resolve([{ address: '8.8.8.8', family: 4 }])
  const named = createOutbound({
    allowed: subnetList([]),
    allowsRanges: false,
    userAgent: 'Facteur',
    resolve,
  })
  for (const url of [
    'http://8.8.8.8:22/',
    'https://8.8.8.8:8443/',
    'http://shop.example:6379/',
    'https://shop.example:25/',
    'http://shop.example:443',
    'https://shop.example:80/',
  ]) {
    const stop = new AbortController()
    const isWebPort = /:(?:443|80)\b/.test(url)
    if (isWebPort) stop.abort()
    const answer = await named.ask(new URL(url), stop.signal)
    assert.deepEqual(
      answer,
      isWebPort ? { kind: 'failed', reason: 'ABORTED' } : { kind: 'refused', reason: 'port' },
      url,
    )
  }
  assert.equal((await here.ask(new URL(`http://localhost:${port}/`), never)).kind, 'answered')
})

test('a range that is allowed is dialled, also in the spelling of IPv6', () => {
  const allowed = subnetList(['10.0.0.0/8', 'fd00::/8'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'])
    assert.equal(mayDial(address, allowed), true, address)
  for (const address of ['127.0.0.1', 'fc00::1'])
    assert.equal(mayDial(address, allowed), false, address)
})

test('an answer is its status, and its body is not waited for', async () => {
  assert.deepEqual(await here.ask(new URL(base), never), {
    kind: 'answered',
    status: 200,
    location: null,
  })
  assert.deepEqual(await here.ask(new URL(`${base}/gone`), never), {
    kind: 'answered',
    status: 410,
    location: null,
  })
  assert.deepEqual(await here.ask(new URL(`${base}/endless`), never), {
    kind: 'answered',
    status: 200,
    location: null,
  })
  assert.equal(requests.at(-1)?.agent, 'Facteur')
})

test('a redirect is an answer and not followed', async () => {
  assert.deepEqual(await here.ask(new URL(`${base}/moved`), never), {
    kind: 'answered',
    status: 302,
    location: '/elsewhere',
  })
  assert.ok(!requests.some(({ url }) => url === '/elsewhere'))
})

test('an address that may not be dialled is refused and not asked, as a number, a name, or any spelling', async () => {
  const before = requests.length
  for (const host of [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]) {
    const answer = await anywhere.ask(new URL(`http://${host}:${port}/secret`), never)
    assert.deepEqual(answer, { kind: 'refused', reason: 'address' }, host)
  }
  assert.equal(requests.length, before)
})

test('other schemes and passwords are refused', async () => {
  assert.deepEqual(await here.ask(new URL('file:///etc/passwd'), never), {
    kind: 'refused',
    reason: 'scheme',
  })
  assert.deepEqual(await here.ask(new URL(`http://a:b@127.0.0.1:${port}/`), never), {
    kind: 'refused',
    reason: 'credentials',
  })
})

test("an unknown name, and a port without a listener, give the system's code", async () => {
  assert.deepEqual(await here.ask(new URL('http://nowhere.invalid/'), never), {
    kind: 'failed',
    reason: 'ENOTFOUND',
  })
  assert.deepEqual(await here.ask(new URL(`http://127.0.0.1:${await freePort()}/`), never), {
    kind: 'failed',
    reason: 'ECONNREFUSED',
  })
  assert.deepEqual(await here.addressesOf('nowhere.invalid'), [])
  assert.deepEqual(await here.addressesOf('[::1]'), ['::1'])
})

test('a call without an answer is given up when the caller aborts it', async () => {
  const stop = new AbortController()
  const answer = here.ask(new URL(`${base}/silent`), stop.signal)
  stop.abort()
  assert.equal((await answer).kind, 'failed')
})
