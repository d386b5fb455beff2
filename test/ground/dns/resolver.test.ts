/**
 * The resolver against a name server of our own on UDP and TCP: what it finds, whom it believes,
 * and what it never takes for absence.
 */
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import { readNameServer } from '../../../src/ground/dns/servers.ts'
import { startDnsServer } from '../../support/dns-server.ts'

const long = 'v=DKIM1; k=rsa; p='.padEnd(600, 'A')
const tlsa = { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 7) }
const names = {
  'example.test': {
    MX: [{ preference: 10, exchange: 'MX.Example.test' }],
    TXT: ['v=spf1 -all', ['two ', 'parts']],
    NS: ['ns.example.test'],
  },
  'mx.example.test': { A: ['127.0.0.2', '127.0.0.3'], AAAA: ['::2'] },
  'null.test': { MX: [{ preference: 0, exchange: '.' }] },
  'k._domainkey.example.test': { TXT: [long] },
  '_25._tcp.mx.example.test': { TLSA: [tlsa] },
  'alias.test': { CNAME: 'Other.alias.test' },
  'other.alias.test': { CNAME: 'mx.example.test' },
  'round.test': { CNAME: 'about.test' },
  'about.test': { CNAME: 'round.test' },
  'dangling.test': { CNAME: 'gone.test' },
  'a.b.empty.test': { A: ['127.0.0.1'] },
  '2.0.0.127.in-addr.arpa': { PTR: ['mx.example.test'] },
}
const dns = await startDnsServer({ names })
const second = await startDnsServer({ names })
const validating = await startDnsServer({ names, validates: true, ttl: 100 })
const stopped = await startDnsServer()
await stopped.stop()

let nowMs = 0
const clock = { monotonicMs: () => nowMs }
const ask = (servers: string[]) => createResolver({ servers, timeoutMs: 600_000, clock })
/** For silence of all: no answer need be in time. */
const askBriefly = (servers: string[]) => createResolver({ servers, timeoutMs: 150, clock })
/**
 * The limit of time for `dns` passes as soon as it has received one more question, and not before.
 */
async function whileSilent<T>(
  { mock: { timers } }: TestContext,
  work: () => Promise<T>,
): Promise<T> {
  timers.enable({ apis: ['setTimeout'] })
  const before = dns.queries.length
  const done = work()
  while (dns.queries.length === before) await setImmediate()
  timers.tick(600_000)
  const result = await done
  timers.reset()
  return result
}
const { resolve } = ask([dns.address])
const recordsAt = async (
  name: string,
  type: 'A' | 'AAAA' | 'MX' | 'TXT' | 'CNAME' | 'TLSA' | 'NS' | 'PTR',
): Promise<unknown> => {
  const lookup = await resolve(name, type)
  return lookup.kind === 'found' ? lookup.records : lookup.kind
}

test('records of every type, names in lower case', async () => {
  assert.deepEqual(await recordsAt('EXAMPLE.test.', 'MX'), [
    { preference: 10, exchange: 'mx.example.test' },
  ])
  assert.deepEqual(await recordsAt('null.test', 'MX'), [{ preference: 0, exchange: '.' }])
  assert.deepEqual(await recordsAt('mx.example.test', 'A'), ['127.0.0.2', '127.0.0.3'])
  assert.deepEqual(await recordsAt('mx.example.test', 'AAAA'), ['::2'])
  assert.deepEqual(await recordsAt('example.test', 'NS'), ['ns.example.test'])
  assert.deepEqual(await recordsAt('2.0.0.127.in-addr.arpa', 'PTR'), ['mx.example.test'])
  assert.deepEqual(await recordsAt('alias.test', 'CNAME'), ['other.alias.test'])
  assert.deepEqual(await recordsAt('_25._tcp.mx.example.test', 'TLSA'), [tlsa])
})

test('the strings of one TXT record are joined without a space', async () => {
  assert.deepEqual(await recordsAt('example.test', 'TXT'), ['v=spf1 -all', 'two parts'])
  assert.deepEqual(await recordsAt('k._domainkey.example.test', 'TXT'), [long])
})

test('a name without the record, a name that is not there, and names below one are three answers', async () => {
  assert.equal(await recordsAt('mx.example.test', 'MX'), 'none')
  assert.equal(await recordsAt('gone.test', 'A'), 'unknown')
  assert.equal(await recordsAt('b.empty.test', 'A'), 'none')
})

test('aliases are followed to their end, and the answer says where that is', async () => {
  const lookup = await resolve('alias.test', 'A')
  assert.deepEqual(lookup, {
    kind: 'found',
    records: ['127.0.0.2', '127.0.0.3'],
    name: 'mx.example.test',
    authenticated: false,
    ttl: 0,
  })
  assert.equal(await recordsAt('alias.test', 'MX'), 'none')
  assert.equal(await recordsAt('dangling.test', 'A'), 'unknown')
})

test('an answer that stops at an alias is asked on', async () => {
  dns.misbehave('alias.test', 'half_alias')
  dns.misbehave('other.alias.test', 'half_alias')
  assert.deepEqual(await recordsAt('alias.test', 'A'), ['127.0.0.2', '127.0.0.3'])
  dns.misbehave('round.test', 'half_alias')
  dns.misbehave('about.test', 'half_alias')
  assert.deepEqual(await resolve('round.test', 'A'), { kind: 'failed', why: 'alias_loop' })
})

test('SERVFAIL, REFUSED, FORMERR and silence are failures, never absence', async () => {
  for (const [how, why] of [
    ['servfail', 'servfail'],
    ['refused', 'refused'],
    ['formerr', 'malformed'],
    ['hang', 'timeout'],
    ['garbage', 'timeout'],
  ] as const) {
    dns.misbehave('bad.example.test', how)
    assert.deepEqual(await askBriefly([dns.address]).resolve('bad.example.test', 'A'), {
      kind: 'failed',
      why,
    })
  }
  assert.deepEqual(await ask([stopped.address]).resolve('example.test', 'A'), {
    kind: 'failed',
    why: 'unreachable',
  })
  assert.deepEqual(await ask([]).resolve('example.test', 'A'), { kind: 'failed', why: 'no_server' })
})

test('the next server is asked when one fails, is silent or is not there', async (t) => {
  const askBoth = () => ask([dns.address, second.address]).resolve('mx.example.test', 'A')
  for (const how of ['servfail', 'refused'] as const) {
    dns.misbehave('mx.example.test', how)
    assert.equal((await askBoth()).kind, 'found')
  }
  dns.misbehave('mx.example.test', 'hang')
  assert.equal((await whileSilent(t, askBoth)).kind, 'found')
  dns.misbehave('mx.example.test', null)
  assert.equal(
    (await ask([stopped.address, second.address]).resolve('mx.example.test', 'A')).kind,
    'found',
  )
})

test('a server that is silent is not waited for again while another answers', async (t) => {
  dns.misbehave('*', 'hang')
  const { resolve: askBoth } = ask([dns.address, second.address])
  assert.equal((await whileSilent(t, () => askBoth('mx.example.test', 'A'))).kind, 'found')
  const before = dns.queries.length
  await askBoth('mx.example.test', 'AAAA')
  assert.equal(dns.queries.length, before)
  dns.misbehave('*', null)
})

test('an answer that was cut over UDP is requested over TCP, also when it is longer than a datagram may be', async () => {
  dns.misbehave('example.test', 'truncate')
  assert.deepEqual(await recordsAt('example.test', 'MX'), [
    { preference: 10, exchange: 'mx.example.test' },
  ])
  dns.set('large.test', {
    TXT: Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(250, 'x')),
  })
  const lookup = await resolve('large.test', 'TXT')
  assert.equal(lookup.kind === 'found' && lookup.records.length, 20)
  assert.deepEqual(
    dns.queries.filter(({ name }) => name === 'large.test').map(({ over }) => over),
    ['udp', 'tcp'],
  )
})

test('another identifier, another question, a question for an answer, another sender: none is believed', async () => {
  dns.misbehave('mx.example.test', 'spoof')
  assert.deepEqual(await recordsAt('mx.example.test', 'A'), ['127.0.0.2', '127.0.0.3'])
  dns.misbehave('mx.example.test', null)
})

test('each question has an identifier and a port of its own, EDNS with DO', async () => {
  const before = dns.queries.length
  for (let count = 0; count < 40; count++) await resolve(`n${count}.test`, 'A')
  const requested = dns.queries.slice(before)
  assert.equal(requested.length, 40)
  assert.ok(new Set(requested.map(({ id }) => id)).size > 30)
  assert.ok(new Set(requested.map(({ port }) => port)).size > 30)
  assert.ok(requested.every(({ edns, dnssecOk }) => edns && dnssecOk))
})

test('a server without EDNS is asked once more without', async () => {
  dns.misbehave('mx.example.test', 'no_edns')
  assert.deepEqual(await recordsAt('mx.example.test', 'A'), ['127.0.0.2', '127.0.0.3'])
  dns.misbehave('mx.example.test', null)
})

test('a server at this machine is believed that it validated; others are not', async () => {
  const lookup = await ask([validating.address]).resolve('mx.example.test', 'A')
  assert.equal('authenticated' in lookup && lookup.authenticated, true)
  assert.equal(readNameServer('127.0.0.1')?.local, true)
  assert.equal(readNameServer('[::1]:5353')?.local, true)
  assert.equal(readNameServer('192.0.2.1')?.local, false)
  assert.equal(readNameServer('2001:db8::1')?.local, false)
})

test('one question of many callers goes out once; a caller who leaves does not end it for the others', async () => {
  const { resolve: shared } = ask([validating.address])
  const before = validating.queries.length
  const leaving = new AbortController()
  const answers = [
    shared('alias.test', 'A', leaving.signal),
    shared('alias.test', 'A'),
    shared('ALIAS.test', 'A'),
  ]
  leaving.abort()
  const [left, ...stayed] = await Promise.all(answers)
  assert.deepEqual(left, { kind: 'failed', why: 'aborted' })
  assert.deepEqual(
    stayed.map(({ kind }) => kind),
    ['found', 'found'],
  )
  assert.equal(validating.queries.length, before + 1)
})

test('an answer is cached for its TTL, a denial for a minute at most, a failure for a moment; fresh is always asked', async () => {
  const { resolve: keeping, resolveFresh } = ask([validating.address])
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    const before = validating.queries.length
    await work()
    return validating.queries.length - before
  }
  assert.equal(await count(() => keeping('mx.example.test', 'A')), 1)
  nowMs += 99_000
  assert.equal(await count(() => keeping('mx.example.test', 'A')), 0)
  assert.equal(await count(() => resolveFresh('mx.example.test', 'A')), 1)
  nowMs += 101_000
  assert.equal(await count(() => keeping('mx.example.test', 'A')), 1)
  assert.equal(await count(() => keeping('absent.test', 'A')), 1)
  nowMs += 59_000
  assert.equal(await count(() => keeping('absent.test', 'A')), 0)
  nowMs += 2_000
  assert.equal(await count(() => keeping('absent.test', 'A')), 1)
  validating.misbehave('bad.test', 'servfail')
  assert.equal(await count(() => keeping('bad.test', 'A')), 1)
  assert.equal(await count(() => keeping('bad.test', 'A')), 0)
  nowMs += 3_000
  assert.equal(await count(() => keeping('bad.test', 'A')), 1)
})

test('a text that cannot be a name is not looked up', async () => {
  for (const name of ['', '.', 'a..test', `${'x'.repeat(64)}.test`, `${'x.'.repeat(127)}test`])
    assert.deepEqual(await resolve(name, 'A'), { kind: 'failed', why: 'bad_name' }, name)
})

test('servers are read with and without a port', () => {
  assert.deepEqual(readNameServer('192.0.2.1:5353'), {
    address: '192.0.2.1',
    port: 5353,
    family: 4,
    local: false,
  })
  assert.deepEqual(readNameServer('2001:db8::1'), {
    address: '2001:db8::1',
    port: 53,
    family: 6,
    local: false,
  })
  for (const text of [
    '',
    'ns.example.test',
    '192.0.2.1:0',
    '192.0.2.1:70000',
    '[192.0.2.1]:53',
    '[::1]',
    '192.0.2.1:',
  ])
    assert.equal(readNameServer(text), null, text)
})
