/**
 * MTA-STS (RFC 8461): a domain's policy is obeyed, stored for its max_age, and not to be
 * downgraded.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { RequestListener } from 'node:http'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { systemClock, type Clock } from '../../../src/ground/clock.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import { createOutbound } from '../../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../../src/ground/outbound/check-address.ts'
import type { DirectMxOptions } from '../../../src/providers/direct-mx/create-direct-mx.ts'
import {
  createStsPolicies,
  type KnownPolicy,
  type StsMemory,
} from '../../../src/providers/direct-mx/sts-policies.ts'
import type { TlsSeen } from '../../../src/providers/direct-mx/tls-results.ts'
import type { Provider } from '../../../src/providers/provider.ts'
import { makeAuthority, selfSigned } from '../../support/certificates.ts'
import { createFrozenClock, type FrozenClock } from '../../support/frozen-clock.ts'
import { until } from '../../support/until.ts'
import { send, startMxWorld } from '../../support/mx-world.ts'

const authority = makeAuthority()
setDefaultCACertificates([...getCACertificates('default'), authority.cert])
const world = await startMxWorld()
const domains = [
  'good',
  'bad',
  'plain',
  'other',
  'later',
  'testing',
  'lost',
  'moved',
  'page',
  'two',
  'renewed',
].map((name) => `${name}.test`)
const offers = ['PIPELINING', 'STARTTLS']
const proven = await world.host('127.0.0.1', {
  offers,
  certificate: authority.sign(domains.map((domain) => `mx1.${domain}`)),
})
const unproven = await world.host('127.0.0.2', {
  offers,
  certificate: selfSigned(domains.flatMap((domain) => [`mx1.${domain}`, `mx2.${domain}`])),
})
const plain = await world.host('127.0.0.3', { offers: ['PIPELINING'] })
const named = await world.host('127.0.0.4', {
  offers,
  certificate: authority.sign(['somebody-else.test']),
})

/** The answer of the policy page of each domain. */
const pages = new Map<string, RequestListener>()
const pageOf: RequestListener = (request, response) => {
  const page = pages.get(request.headers.host?.replace(/^mta-sts\.|:\d+$/g, '') ?? '')
  if (page && request.url === '/.well-known/mta-sts.txt') return page(request, response)
  response.writeHead(404).end()
}
const certificate = authority.sign(domains.map((domain) => `mta-sts.${domain}`))
const policyServer = createServer(certificate, pageOf)
policyServer.listen(0, '127.0.0.1')
after(() => policyServer.close())
const untrusted = createServer(selfSigned(domains.map((domain) => `mta-sts.${domain}`)), pageOf)
untrusted.listen(0, '127.0.0.1')
after(() => untrusted.close())
await new Promise((resolve) => untrusted.on('listening', resolve))
const portOf = (server: typeof untrusted): number => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function publish(domain: string, lines: string[], id = 'a1'): void {
  world.dns.set(`_mta-sts.${domain}`, { TXT: [`v=STSv1; id=${id};`] })
  world.dns.set(`mta-sts.${domain}`, { A: ['127.0.0.1'] })
  pages.set(domain, (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(['version: STSv1', ...lines, 'max_age: 86400', ''].join('\r\n')),
  )
}

/** A process: the next one knows what it stored. */
function start(
  known: KnownPolicy[] = [],
  port = portOf(policyServer),
  clock: Clock = systemClock,
): {
  provider: Provider
  output: object[]
  stored: KnownPolicy[]
  observed: TlsSeen[]
  openPolicies: DirectMxOptions['openPolicies']
} {
  const logged: object[] = []
  const stored: KnownPolicy[] = []
  const memory: StsMemory = {
    watch: (report) => Promise.resolve(known.forEach(report)),
    keep: (domain, { maxAgeSeconds, ...policy }) =>
      void stored.push({ domain, ...policy, lastsMs: maxAgeSeconds * 1_000 }),
  }
  const resolver = createResolver({
    servers: [world.dns.address],
    timeoutMs: 600_000,
    clock: systemClock,
  })
  const log = { warn: (fields: object, text: string) => void logged.push({ ...fields, text }) }
  const allowed = subnetList(loopbackRanges)
  const resolve = async (host: string): Promise<{ address: string; family: number }[]> => {
    const result = await resolver.resolve(host, 'A')
    return result.kind === 'found' ? result.records.map((address) => ({ address, family: 4 })) : []
  }
  const outbound = createOutbound({ allowed, allowsRanges: true, userAgent: 'test', resolve })
  after(() => outbound.close())
  const observed: TlsSeen[] = []
  const countTls = (tlsResult: TlsSeen): void => void observed.push(tlsResult)
  const openPolicies: DirectMxOptions['openPolicies'] = (stopping) =>
    createStsPolicies({
      clock,
      log,
      resolver,
      outbound,
      memory,
      countTls,
      stopping,
      policyPort: port,
    })
  return {
    provider: world.provider({ openPolicies, log, resolver, countTls }),
    output: logged,
    stored,
    observed,
    openPolicies,
  }
}

test('enforce: a host that the policy names, with its certificate, gets the mail encrypted', async () => {
  world.domain('good.test', ['127.0.0.1'])
  publish('good.test', ['mode: enforce', 'mx: mx1.good.test'])
  const { provider, stored } = start()
  assert.equal((await send(provider, 'you@good.test')).kind, 'accepted')
  assert.ok(proven.requests.at(-1)?.lines.includes('STARTTLS'))
  assert.partialDeepStrictEqual(stored, [
    { domain: 'good.test', id: 'a1', mode: 'enforce', mx: ['mx1.good.test'] },
  ])
})

for (const [domain, address, what, why] of [
  ['bad.test', '127.0.0.2', 'whose certificate nobody signed', /self-signed certificate/],
  ['plain.test', '127.0.0.3', 'that offers no STARTTLS', /does not offer STARTTLS/],
  ['other.test', '127.0.0.4', 'with the certificate of another', /altnames|Hostname/],
] as const) {
  test(`enforce: a host ${what} gets nothing, not even in clear; the mail waits`, async () => {
    world.domain(domain, [address])
    publish(domain, ['mode: enforce', `mx: *.${domain}`])
    const outcome = await send(start().provider, `you@${domain}`)
    assert.partialDeepStrictEqual(outcome, {
      kind: 'deferred',
      phase: 'tls',
      code: null,
      slower: false,
    })
    assert.match(outcome.kind === 'deferred' ? outcome.response : '', why)
    for (const peer of [unproven, plain, named]) assert.equal(peer.mails.length, 0)
  })
}

test('enforce: a host that the policy does not name is left out; where it names none, no host is dialled', async () => {
  world.domain('later.test', ['127.0.0.2', '127.0.0.1'])
  world.dns.set('mx1.good.test', { A: ['127.0.0.1'] })
  world.dns.set('later.test', {
    MX: [
      { preference: 1, exchange: 'mx2.later.test' },
      { preference: 2, exchange: 'mx1.good.test' },
    ],
  })
  world.dns.set('mx2.later.test', { A: ['127.0.0.2'] })
  publish('later.test', ['mode: enforce', 'mx: *.good.test'])
  const requests = unproven.requests.length
  assert.equal((await send(start().provider, 'you@later.test')).kind, 'accepted')
  publish('later.test', ['mode: enforce', 'mx: mx1.elsewhere.test'], 'a2')
  const outcome = await send(start().provider, 'you@later.test')
  assert.partialDeepStrictEqual(outcome, { kind: 'deferred', phase: 'dial' })
  assert.match(
    JSON.stringify(outcome),
    /no mail host of later\.test is named by its MTA-STS policy/,
  )
  assert.equal(unproven.requests.length, requests)
})

test('testing: the mail goes all the same, and the log says what would have stopped it', async () => {
  world.domain('testing.test', ['127.0.0.2'])
  publish('testing.test', ['mode: testing', 'mx: mx9.testing.test'])
  const { provider, output } = start()
  assert.equal((await send(provider, 'you@testing.test')).kind, 'accepted')
  const text = JSON.stringify(output)
  assert.match(text, /MTA-STS in testing: the policy does not name a mail host/)
  assert.match(text, /MTA-STS in testing: a host could not prove its name/)
})

test('a fetched policy stays: without its TXT record, without its page, and after a restart', async () => {
  world.domain('lost.test', ['127.0.0.2'])
  publish('lost.test', ['mode: enforce', 'mx: *.lost.test'])
  const first = start()
  assert.equal((await send(first.provider, 'you@lost.test')).kind, 'deferred')
  world.dns.set('_mta-sts.lost.test', null)
  assert.equal((await send(start(first.stored).provider, 'you@lost.test')).kind, 'deferred')
  world.dns.misbehave('_mta-sts.lost.test', 'servfail')
  assert.equal((await send(start(first.stored).provider, 'you@lost.test')).kind, 'deferred')
  world.dns.misbehave('_mta-sts.lost.test', null)
  world.dns.set('_mta-sts.lost.test', { TXT: ['v=STSv1; id=new;'] })
  pages.delete('lost.test')
  assert.equal((await send(start(first.stored).provider, 'you@lost.test')).kind, 'deferred')
  // Its time is over: nothing is asked for any more.
  world.dns.set('_mta-sts.lost.test', null)
  const over = first.stored.map((policy) => ({ ...policy, lastsMs: -1 }))
  assert.equal((await send(start(over).provider, 'you@lost.test')).kind, 'accepted')
})

test('another id: the policy is fetched again, and mode none ends it', async () => {
  world.domain('moved.test', ['127.0.0.2'])
  publish('moved.test', ['mode: enforce', 'mx: *.moved.test'])
  const { provider, stored } = start()
  assert.equal((await send(provider, 'you@moved.test')).kind, 'deferred')
  publish('moved.test', ['mode: none'], 'b2')
  const next = start(stored)
  assert.equal((await send(next.provider, 'you@moved.test')).kind, 'accepted')
  assert.partialDeepStrictEqual(next.stored, [{ id: 'b2', mode: 'none' }])
})

test('a page that redirects, has another type, is too long or no policy, or has an untrusted certificate: there is no policy', async () => {
  world.domain('page.test', ['127.0.0.2'])
  publish('page.test', ['mode: enforce', 'mx: *.page.test'])
  const text = 'version: STSv1\nmode: enforce\nmx: *.page.test\nmax_age: 86400\n'
  const answers: RequestListener[] = [
    (_request, response) =>
      response
        .writeHead(301, { location: 'https://mta-sts.good.test/.well-known/mta-sts.txt' })
        .end(),
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text),
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(text + 'x'.repeat(70_000)),
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(text.replace('STSv1', 'STSv2')),
  ]
  for (const answer of answers) {
    pages.set('page.test', answer)
    const { provider, output, stored } = start()
    assert.equal((await send(provider, 'you@page.test')).kind, 'accepted')
    assert.match(JSON.stringify(output), /could not be read/)
    assert.deepEqual(stored, [])
  }
  publish('page.test', ['mode: enforce', 'mx: *.page.test'])
  const { provider, stored: remaining } = start([], portOf(untrusted))
  assert.equal((await send(provider, 'you@page.test')).kind, 'accepted')
  assert.deepEqual(remaining, [])
})

test('two domains with the same hosts, of which one has a policy, do not share connections', async () => {
  world.dns.set('two.test', { MX: [{ preference: 1, exchange: 'mx1.two.test' }] })
  world.dns.set('three.test', { MX: [{ preference: 1, exchange: 'mx1.two.test' }] })
  world.dns.set('mx1.two.test', { A: ['127.0.0.2'] })
  publish('two.test', ['mode: enforce', 'mx: mx1.two.test'])
  const { provider } = start()
  assert.equal((await send(provider, 'you@three.test')).kind, 'accepted')
  assert.equal((await send(provider, 'you@two.test')).kind, 'deferred')
})

/** Renewals are looked for each minute. */
async function passHours(clock: FrozenClock, hours: number): Promise<void> {
  clock.advance(hours * 3_600_000)
  await until(() => clock.sleepersMs().length > 0)
}

test('a policy in use is fetched again halfway through its time, also with the same id; a failure keeps it until its end', async (t) => {
  publish('renewed.test', ['mode: enforce', 'mx: *.renewed.test'])
  const clock = createFrozenClock()
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const { openPolicies, stored, output } = start([], portOf(policyServer), clock)
  const policies = openPolicies(stopping.signal)
  const mode = async (): Promise<string | undefined> => (await policies.of('renewed.test'))?.mode
  assert.deepEqual([await mode(), stored.length], ['enforce', 1])
  await passHours(clock, 13)
  await until(() => stored.length === 2)
  await passHours(clock, 13)
  assert.equal(stored.length, 2, 'no mail asked for it since: it is not fetched again and again')
  assert.equal(await mode(), 'enforce')
  pages.delete('renewed.test')
  await passHours(clock, 1)
  await until(() => output.length > 0)
  assert.deepEqual([await mode(), stored.length], ['enforce', 2], 'the former one is in force')
  await passHours(clock, 11)
  assert.equal(await mode(), undefined, 'and ends when it said so')
})

test('what a policy stops is counted for its domain (RFC 8460 4.3)', async () => {
  const { provider, observed } = start()
  await send(provider, 'you@bad.test')
  publish('later.test', ['mode: enforce', 'mx: mx1.elsewhere.test'], 'c3')
  await send(provider, 'you@later.test')
  world.dns.set('_mta-sts.page.test', { TXT: ['v=STSv1; id=d4;'] })
  for (const [page, result] of [
    [(_request, response) => response.writeHead(404).end(), 'sts-policy-fetch-error'],
    [
      (_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('none'),
      'sts-policy-invalid',
    ],
  ] as [RequestListener, string][]) {
    pages.set('page.test', page)
    const fetching = start()
    await send(fetching.provider, 'you@page.test')
    assert.deepEqual(fetching.observed[0], { domain: 'page.test', policy: 'sts', result })
  }
  const unknown = start([], portOf(untrusted))
  await send(unknown.provider, 'you@page.test')
  assert.deepEqual(unknown.observed[0], {
    domain: 'page.test',
    policy: 'sts',
    result: 'sts-webpki-invalid',
  })
  assert.deepEqual(observed, [
    { domain: 'bad.test', policy: 'sts', result: 'certificate-not-trusted' },
    { domain: 'later.test', policy: 'sts', result: 'validation-failure' },
  ])
})
