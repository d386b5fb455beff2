/**
 * DANE (RFC 7672): where a validated answer names a certificate, a host shows that one or gets
 * nothing.
 */
import assert from 'node:assert/strict'
import { hash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import type { Resolver } from '../../../src/ground/dns/lookup.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import type { TlsSeen } from '../../../src/providers/direct-mx/tls-results.ts'
import type { Outcome } from '../../../src/providers/provider.ts'
import { makeAuthority, selfSigned } from '../../support/certificates.ts'
import { send, startMxWorld } from '../../support/mx-world.ts'

const world = await startMxWorld({ validates: true })
const trusting = await startMxWorld()
const authority = makeAuthority()
const own = selfSigned(['unrelated.test'])
const signed = authority.sign(['mx1.ta.test'])
const offers = ['PIPELINING', 'STARTTLS']
const selfSignedHost = await world.host('127.0.0.1', { offers, certificate: own })
const signedHost = await world.host('127.0.0.2', { offers, certificate: signed })
const plainHost = await world.host('127.0.0.3', { offers: ['PIPELINING'] })
await trusting.host('127.0.0.1', { offers, certificate: own })

const derOf = (pem: string): Buffer => new X509Certificate(pem).raw
const keyOf = (pem: string): Buffer =>
  new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
const sha256 = (data: Buffer): Buffer => hash('sha256', data, 'buffer')
const sha512 = (data: Buffer): Buffer => hash('sha512', data, 'buffer')
const record = (usage: number, selector: number, matchingType: number, certificate: Buffer) => ({
  ...{ usage, selector, matchingType, certificate },
})
type Tlsa = ReturnType<typeof record>

let count = 0
/** A domain of its own, whose host at `address` is said to show what these records name. */
function domainWith(records: Tlsa[], address = '127.0.0.1', mxWorld = world): string {
  const domain = `dane${++count}.test`
  mxWorld.domain(domain, [address])
  mxWorld.dns.set(`_${mxWorld.port}._tcp.mx1.${domain}`, { TLSA: records })
  return domain
}

function assertWaits(outcome: Outcome, why: RegExp): void {
  assert.partialDeepStrictEqual(outcome, {
    kind: 'deferred',
    phase: 'tls',
    code: null,
    slower: false,
  })
  assert.match(outcome.kind === 'deferred' ? outcome.response : '', why)
}

for (const [title, matching] of [
  ['3 0 0', record(3, 0, 0, derOf(own.cert))],
  ['3 0 1', record(3, 0, 1, sha256(derOf(own.cert)))],
  ['3 1 0', record(3, 1, 0, keyOf(own.cert))],
  ['3 1 1', record(3, 1, 1, sha256(keyOf(own.cert)))],
  ['3 1 2', record(3, 1, 2, sha512(keyOf(own.cert)))],
] as const) {
  test(`${title} names the certificate that the host shows: accepted, by any signer and for any name`, async () => {
    const domain = domainWith([record(3, 1, 1, sha256(Buffer.from('the next one'))), matching])
    assert.equal((await send(world.provider(), `you@${domain}`)).kind, 'accepted')
    assert.ok(selfSignedHost.requests.at(-1)?.lines.includes('STARTTLS'))
  })
}

test('another certificate than the one that DNS names: nothing is given to the host, and the mail waits', async () => {
  const domain = domainWith([record(3, 1, 1, sha256(Buffer.from('another')))])
  assertWaits(await send(world.provider(), `you@${domain}`), /not the one that DNS names/)
  assert.ok(!selfSignedHost.mails.some((mail) => mail.to.includes(`you@${domain}`)))
})

test('a host that fails so, and another that is said nothing of: the other one gets the mail', async () => {
  const domain = domainWith([record(3, 1, 1, sha256(Buffer.from('another')))])
  world.domain(domain, ['127.0.0.1', '127.0.0.3'])
  assert.equal((await send(world.provider(), `you@${domain}`)).kind, 'accepted')
  assert.ok(plainHost.mails.some((mail) => mail.to.includes(`you@${domain}`)))
})

test('one family of addresses cannot be looked up: the other is held to what DNS names all the same', async () => {
  const domain = domainWith([record(3, 1, 1, sha256(Buffer.from('another')))])
  const whole = createResolver({
    servers: [world.dns.address],
    timeoutMs: 600_000,
    clock: systemClock,
  })
  const resolver: Resolver = {
    ...whole,
    resolve: (name, type, signal) =>
      type === 'AAAA'
        ? Promise.resolve({ kind: 'failed', why: 'servfail' })
        : whole.resolve(name, type, signal),
  }
  assertWaits(
    await send(world.provider({ resolver }), `you@${domain}`),
    /not the one that DNS names/,
  )
})

test('TLSA and no STARTTLS: nothing in clear, the mail waits', async () => {
  const domain = domainWith([record(3, 1, 1, sha256(keyOf(own.cert)))], '127.0.0.3')
  assertWaits(await send(world.provider(), `you@${domain}`), /does not offer STARTTLS/)
})

/** The authority's name for the host, so that it shows a certificate for `mx1.ta.test`. */
function authorityNamed(records: Tlsa[], host: string): string {
  const domain = `ta${++count}.test`
  world.dns.set(domain, { MX: [{ preference: 1, exchange: host }] })
  world.dns.set(host, { A: ['127.0.0.2'] })
  world.dns.set(`_${world.port}._tcp.${host}`, { TLSA: records })
  return domain
}

for (const [title, matching] of [
  ['2 0 1', record(2, 0, 1, sha256(derOf(authority.cert)))],
  ['2 1 1', record(2, 1, 1, sha256(keyOf(authority.cert)))],
] as const) {
  test(`${title} names the authority that signed for the host's name: accepted; for another name, or out of its dates, it waits`, async () => {
    const domain = authorityNamed([matching], 'mx1.ta.test')
    assert.equal((await send(world.provider(), `you@${domain}`)).kind, 'accepted')
    assert.ok(signedHost.mails.length > 0)
    assertWaits(
      await send(world.provider(), `you@${authorityNamed([matching], 'mx2.ta.test')}`),
      /not the one that DNS names/,
    )
    const inAYear = { ...systemClock, now: () => new Date(Date.now() + 365 * 86_400_000) }
    assertWaits(
      await send(world.provider({ clock: inAYear }), `you@${domain}`),
      /not the one that DNS names/,
    )
  })
}

test('a certificate that another authority of the same name signed, shown with the one that DNS names: it waits', async () => {
  const forged = makeAuthority().sign(['mx3.ta.test'])
  const [leaf = ''] = forged.cert.split(/(?<=-----END CERTIFICATE-----\n)/)
  await world.host('127.0.0.4', {
    offers,
    certificate: { key: forged.key, cert: leaf + authority.cert },
  })
  const domain = authorityNamed([record(2, 0, 1, sha256(derOf(authority.cert)))], 'mx3.ta.test')
  world.dns.set('mx3.ta.test', { A: ['127.0.0.4'] })
  assertWaits(await send(world.provider(), `you@${domain}`), /not the one that DNS names/)
})

test('its own certificate named as an authority: it waits', async () => {
  const domain = domainWith([record(2, 0, 1, sha256(derOf(own.cert)))])
  assertWaits(await send(world.provider(), `you@${domain}`), /not the one that DNS names/)
})

test('dates mean nothing where the certificate itself is named', async () => {
  const inAYear = { ...systemClock, now: () => new Date(Date.now() + 365 * 86_400_000) }
  const domain = domainWith([record(3, 1, 1, sha256(keyOf(own.cert)))])
  assert.equal((await send(world.provider({ clock: inAYear }), `you@${domain}`)).kind, 'accepted')
})

for (const [title, records] of [
  [
    'PKIX usages',
    [record(0, 0, 1, sha256(derOf(own.cert))), record(1, 1, 1, sha256(keyOf(own.cert)))],
  ],
  ['an unknown matching type', [record(3, 1, 9, sha256(keyOf(own.cert)))]],
  ['a digest of the wrong length', [record(3, 1, 1, Buffer.from('short'))]],
] as const) {
  test(`${title} alone are not usable: any certificate will do, no encryption will not`, async () => {
    assert.equal((await send(world.provider(), `you@${domainWith([...records])}`)).kind, 'accepted')
    assertWaits(
      await send(world.provider(), `you@${domainWith([...records], '127.0.0.3')}`),
      /does not offer STARTTLS/,
    )
  })
}

test('the look-up of the TLSA record fails: the host cannot be verified, and the mail waits', async () => {
  const domain = domainWith([])
  world.dns.misbehave(`_${world.port}._tcp.mx1.${domain}`, 'servfail')
  const outcome = await send(world.provider(), `you@${domain}`)
  assert.partialDeepStrictEqual(outcome, { kind: 'deferred', phase: 'dial' })
  assert.match(JSON.stringify(outcome), /servfail/)
})

test('no TLSA record: as everywhere else', async () => {
  world.domain('nothing.test', ['127.0.0.3'])
  assert.equal((await send(world.provider(), 'you@nothing.test')).kind, 'accepted')
})

test('answers that no resolver validated: their records are ignored', async () => {
  const domain = domainWith(
    [record(3, 1, 1, sha256(Buffer.from('another')))],
    '127.0.0.1',
    trusting,
  )
  assert.equal((await send(trusting.provider(), `you@${domain}`)).kind, 'accepted')
  assert.ok(!trusting.dns.queries.some(({ type }) => type === 'TLSA'))
})

test('the certificates that DNS names go before the policy of MTA-STS', async () => {
  const domain = domainWith([record(3, 1, 1, sha256(keyOf(own.cert)))])
  const openPolicies = () => ({
    of: () => Promise.resolve({ mode: 'enforce' as const, mx: [`mx1.${domain}`] }),
  })
  assert.equal((await send(world.provider({ openPolicies }), `you@${domain}`)).kind, 'accepted')
})

/**
 * A domain whose mail host is an alias; the records stand below the end of the alias, the host's
 * own name, or both.
 */
function aliasWith(
  records: { end?: Tlsa[]; own?: Tlsa[] },
  address = '127.0.0.1',
): { domain: string; host: string; end: string } {
  const domain = `alias${++count}.test`
  const [host, end] = [`mx.${domain}`, `host.${domain.replace('alias', 'hoster')}`]
  world.dns.set(domain, { MX: [{ preference: 1, exchange: host }] })
  world.dns.set(host, { CNAME: end })
  world.dns.set(end, { A: [address] })
  if (records.end) world.dns.set(`_${world.port}._tcp.${end}`, { TLSA: records.end })
  if (records.own) world.dns.set(`_${world.port}._tcp.${host}`, { TLSA: records.own })
  return { domain, host, end }
}
const matching = [record(3, 1, 1, sha256(keyOf(own.cert)))]
const another = [record(3, 1, 1, sha256(Buffer.from('another')))]

for (const [title, records, isSent] of [
  ['below the end of the alias', { end: another }, false],
  [
    'below the end of the alias, which goes before the host’s own',
    { end: matching, own: another },
    true,
  ],
  ['below the host’s own name, where the end has none', { own: another }, false],
] as const) {
  test(`a mail host that is an alias, signed to its end (RFC 7672 2.2.2): the records ${title} bind`, async () => {
    const { domain } = aliasWith(records)
    const outcome = await send(world.provider(), `you@${domain}`)
    if (isSent) assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    else assertWaits(outcome, /not the one that DNS names/)
  })
}

test('an alias of a signed zone that leads to an unsigned one: the records below the host’s own name bind, others do not', async () => {
  const bound = aliasWith({ own: another, end: matching })
  world.dns.unsign(bound.end)
  assertWaits(await send(world.provider(), `you@${bound.domain}`), /not the one that DNS names/)
  const free = aliasWith({ end: another })
  world.dns.unsign(free.end)
  assert.equal((await send(world.provider(), `you@${free.domain}`)).kind, 'accepted')
})

test('an alias of an unsigned zone: no record binds', async () => {
  const { domain, host: name, end } = aliasWith({ own: another, end: another })
  world.dns.unsign(name)
  assert.equal((await send(world.provider(), `you@${domain}`)).kind, 'accepted')
  assert.ok(
    !world.dns.queries.some(
      ({ type, name: requested }) => type === 'TLSA' && requested.endsWith(end),
    ),
  )
})

test('an authority below the end of an alias: the certificate is asked for, and checked, by the name of the records (RFC 7672 3.2)', async () => {
  const { domain, end } = aliasWith(
    { end: [record(2, 0, 1, sha256(derOf(authority.cert)))] },
    '127.0.0.9',
  )
  await world.host('127.0.0.9', { offers, certificate: authority.sign([end]) })
  assert.equal((await send(world.provider(), `you@${domain}`)).kind, 'accepted')
})

test('each session is counted for its domain by policy and result (RFC 8460)', async () => {
  const known: TlsSeen[] = []
  const provider = world.provider({ countTls: (tlsResult) => void known.push(tlsResult) })
  const [good, bad, clear] = [
    domainWith(matching),
    domainWith(another),
    domainWith(matching, '127.0.0.3'),
  ]
  for (const domain of [good, bad, clear]) await send(provider, `you@${domain}`)
  assert.deepEqual(known, [
    { domain: good, policy: 'tlsa', result: 'success' },
    { domain: bad, policy: 'tlsa', result: 'validation-failure' },
    { domain: clear, policy: 'tlsa', result: 'starttls-not-supported' },
  ])
})
