/**
 * Where our own delivery goes: MX and addresses by RFC 5321 5.1, what has none, and what may not be
 * dialled.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subnetList } from '../../../src/ground/outbound/check-address.ts'
import type { Outcome } from '../../../src/providers/provider.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { envelopeTo, freeLease, send, signedFor, startMxWorld } from '../../support/mx-world.ts'
import type { PeerOptions } from '../../support/scripted-peer.ts'

const world = await startMxWorld()
const first = await world.host('127.0.0.1', { script: () => void (isSilence = false) })
const second = await world.host('127.0.0.2')
const third = await world.host('::1')
const closing = await world.host('127.0.0.3', {
  script: ({ phase }) => (phase === 'greet' ? '421 4.3.2 closing' : undefined),
})
const refusing = await world.host('127.0.0.4', {
  script: ({ phase }) => (phase === 'greet' ? '554 no mail here' : undefined),
})
const silent = await world.host('127.0.0.5', {
  script: ({ phase }) => {
    if (phase !== 'greet') return undefined
    isSilence = true
    return 'hang'
  },
})
const breaking = await world.host('127.0.0.6', {
  script: ({ phase }) => (phase === 'rcpt' ? 'drop' : undefined),
})
const encrypting = await world.host('127.0.0.7', {
  offers: ['PIPELINING', 'STARTTLS'],
  certificate: testCertificate,
})
// Offers what it cannot do: without a certificate no handshake succeeds.
const boasting = await world.host('127.0.0.8', { offers: ['STARTTLS'] })
/** Nothing listens there. */
const nobody = '127.0.0.99'
/**
 * Time passes only while a connection to the silent host is the newest: no other host is late,
 * however busy the machine.
 */
let isSilence = false
let passedMs = 0
const impatient = {
  clock: { ...systemClock, monotonicMs: () => (isSilence ? (passedMs += 300) : passedMs) },
  timeouts: { dial: 600_000, greet: 300 },
}

let addresses = 0
const nextAddress = (): string => `127.0.1.${++addresses}`

const deliveredTo = (peer: typeof first, recipient: string): number =>
  peer.mails.filter((mail) => mail.to.includes(recipient)).length

const hard = { kind: 'refused', reason: 'hard' } as const

function assertEnded(
  outcome: Outcome,
  expected: { kind: 'refused'; reason: string } | { kind: 'deferred' },
  text: RegExp,
): void {
  assert.partialDeepStrictEqual(outcome, { ...expected, phase: 'dial', code: null })
  assert.match('response' in outcome ? (outcome.response ?? '') : '', text)
}

test('the host with the lower preference takes it, in any order of the records', async () => {
  world.dns.set('order.test', {
    MX: [
      { preference: 20, exchange: 'b.order.test' },
      { preference: 5, exchange: 'a.order.test' },
    ],
  })
  world.dns.set('a.order.test', { A: ['127.0.0.2'] })
  world.dns.set('b.order.test', { A: ['127.0.0.1'] })
  const provider = world.provider()
  for (const n of [1, 2, 3])
    assert.equal((await send(provider, `${n}@order.test`)).kind, 'accepted')
  assert.equal(second.mails.filter((mail) => mail.to[0]?.endsWith('@order.test')).length, 3)
})

for (const [title, address, options] of [
  ['nothing listens', nobody, {}],
  ['421 in its greeting', '127.0.0.3', {}],
  ['554 in its greeting', '127.0.0.4', {}],
  ['silence after the connection', '127.0.0.5', impatient],
] as const) {
  test(`failover: the first host fails with ${title}, the second takes it in the same try`, async () => {
    const domain = `failover${address.replaceAll('.', '-')}.test`
    world.domain(domain, [address, '127.0.0.1'])
    const outcome = await send(world.provider(options), `you@${domain}`)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    assert.equal(deliveredTo(first, `you@${domain}`), 1)
  })
}

test('a host that failed a moment ago is tried after the others', async () => {
  world.domain('avoided.test', ['127.0.0.5', '127.0.0.1'])
  const provider = world.provider({ ...impatient, connectionsEach: 1 })
  await send(provider, 'one@avoided.test')
  const requests = silent.requests.length
  for (const request of first.requests) assert.ok(request.lines.length > 0)
  const outcomes = await Promise.all(
    ['two', 'three', 'four'].map((name) => send(provider, `${name}@avoided.test`)),
  )
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
  assert.equal(silent.requests.length, requests)
})

test('a host that breaks off in the middle: deferred, and the next try goes to the other', async () => {
  world.domain('breaking.test', ['127.0.0.6', '127.0.0.1'])
  const provider = world.provider()
  assert.partialDeepStrictEqual(await send(provider, 'you@breaking.test'), {
    kind: 'deferred',
    phase: 'rcpt',
    code: null,
  })
  assert.equal((await send(provider, 'you@breaking.test')).kind, 'accepted')
  assert.equal(breaking.requests.length, 1)
})

test('every host fails: deferred, with what one of them said and who it was', async () => {
  world.domain('down.test', ['127.0.0.3', nobody])
  const outcome = await send(world.provider(), 'you@down.test')
  assert.partialDeepStrictEqual(outcome, {
    kind: 'deferred',
    phase: 'greet',
    code: 421,
    slower: false,
  })
  assert.match(JSON.stringify(outcome), /421 4\.3\.2 closing \[mx1\.down\.test 127\.0\.0\.3\]/)
  assert.ok(closing.requests.length > 0)
})

test('several addresses of one host are tried in turn', async () => {
  world.dns.set('addresses.test', { MX: [{ preference: 10, exchange: 'many.addresses.test' }] })
  world.dns.set('many.addresses.test', { A: [nobody, '127.0.0.98', '127.0.0.2'], AAAA: ['::1'] })
  for (const n of [1, 2, 3]) {
    const outcome = await send(world.provider(), `${n}@addresses.test`)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    assert.equal(deliveredTo(second, `${n}@addresses.test`), 1)
  }
})

for (const [phase, answer] of [
  ['mail', '451 4.3.0 local trouble'],
  ['rcpt', '450 4.7.1 greylisted, please try again'],
  ['rcpt', '421 4.3.0 this host is going down'],
] as const) {
  test(`${answer} at ${phase}: the next host takes it in the same try, once, and the first one has nothing of it`, async () => {
    const busy = await world.host(nextAddress(), {
      script: (at) => (at.phase === phase ? answer : undefined),
    })
    const domain = `next${addresses}.test`
    world.domain(domain, [`127.0.1.${addresses}`, '127.0.0.1'])
    const outcome = await send(world.provider(), `you@${domain}`)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    assert.equal(deliveredTo(first, `you@${domain}`), 1)
    assert.deepEqual([busy.mails.length, busy.requests.length], [0, 1])
  })
}

for (const [title, phase, answer] of [
  ['a mailbox that is full', 'rcpt', '452 4.2.2 mailbox full'],
  ['a request for a slower pace', 'rcpt', '450 4.7.28 unusual rate of mail'],
  ['a refusal of DATA', 'data', '451 4.3.0 local trouble'],
  ['a refusal of the content', 'dot', '451 4.3.0 local trouble'],
] as const) {
  test(`${title}: no other host is asked`, async () => {
    await world.host(nextAddress(), { script: (at) => (at.phase === phase ? answer : undefined) })
    const domain = `next${addresses}.test`
    world.domain(domain, [`127.0.1.${addresses}`, '127.0.0.1'])
    assert.partialDeepStrictEqual(await send(world.provider(), `you@${domain}`), {
      kind: 'deferred',
    })
    assert.equal(deliveredTo(first, `you@${domain}`), 0)
  })
}

test('every host refuses for now: deferred with an answer of one; none that is away hides it', async () => {
  const script: PeerOptions['script'] = ({ phase }) =>
    phase === 'rcpt' ? '450 4.7.1 greylisted, please try again' : undefined
  await world.host(nextAddress(), { script })
  world.domain('grey-all.test', [`127.0.1.${addresses}`, nobody])
  const outcome = await send(world.provider(), 'you@grey-all.test')
  assert.partialDeepStrictEqual(outcome, { kind: 'deferred', phase: 'rcpt', code: 450 })
})

test('hosts of one preference share the mail', async () => {
  world.dns.set('equal.test', {
    MX: [
      { preference: 10, exchange: 'a.equal.test' },
      { preference: 10, exchange: 'b.equal.test' },
    ],
  })
  world.dns.set('a.equal.test', { A: ['127.0.0.1'] })
  world.dns.set('b.equal.test', { A: ['127.0.0.2'] })
  for (let n = 0; n < 24; n++) await send(world.provider(), `${n}@equal.test`)
  const counts = [first, second].map(
    (peer) => peer.mails.filter((mail) => mail.to[0]?.endsWith('@equal.test')).length,
  )
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 24)
  assert.ok(
    counts.every((count) => count > 0),
    String(counts),
  )
})

test('a host with an IPv6 address alone', async () => {
  world.domain('six.test', ['::1'])
  assert.equal((await send(world.provider(), 'you@six.test')).kind, 'accepted')
  assert.equal(deliveredTo(third, 'you@six.test'), 1)
})

test('no MX: the domain itself is the host, through an alias too', async () => {
  world.dns.set('implicit.test', { A: ['127.0.0.1'] })
  world.dns.set('alias.test', { CNAME: 'implicit.test' })
  assert.equal((await send(world.provider(), 'you@implicit.test')).kind, 'accepted')
  assert.equal((await send(world.provider(), 'you@alias.test')).kind, 'accepted')
})

/** Of names that nothing answers for. */
const impatientResolver = createResolver({
  servers: [world.dns.address],
  timeoutMs: 300,
  clock: systemClock,
})

for (const how of ['servfail', 'hang', 'refused', 'garbage'] as const) {
  test(`the look-up of the MX fails (${how}): deferred, and the domain's own address is not taken instead`, async () => {
    const domain = `lookup-${how}.test`
    world.dns.set(domain, { A: ['127.0.0.1'] })
    world.dns.misbehave(domain, how)
    assertEnded(
      await send(world.provider({ resolver: impatientResolver }), `you@${domain}`),
      { kind: 'deferred' },
      /4\.4\.3 the mail hosts of .* could not be looked up/,
    )
    assert.equal(deliveredTo(first, `you@${domain}`), 0)
  })
}

test('the look-up of the only address fails: deferred', async () => {
  world.domain('no-address.test', ['127.0.0.1'])
  world.dns.misbehave('mx1.no-address.test', 'servfail')
  assertEnded(
    await send(world.provider(), 'you@no-address.test'),
    { kind: 'deferred' },
    /address of mx1\.no-address\.test/,
  )
})

test('NXDOMAIN: refused, the address does not exist', async () => {
  world.dns.set('known.nowhere.test', { A: ['127.0.0.1'] })
  assertEnded(
    await send(world.provider(), 'you@not.nowhere.test', { attempt: 2 }),
    hard,
    /^5\.1\.2 .* does not exist/,
  )
})

test('NXDOMAIN at the first attempt, by the only name server: deferred, since one answer is not believed alone', async () => {
  const provider = world.provider()
  assertEnded(
    await send(provider, 'you@none.nowhere.test'),
    { kind: 'deferred' },
    /^4\.1\.2 .* asked for again/,
  )
  // A broken resolver that said so works again.
  world.domain('none.nowhere.test', ['127.0.0.1'])
  assert.equal(
    (await send(world.provider(), 'you@none.nowhere.test', { attempt: 2 })).kind,
    'accepted',
  )
})

test('NXDOMAIN by two name servers: refused at once; where the second knows the domain, or fails, deferred', async () => {
  const otherServer = await startDnsServer()
  const provider = () =>
    world.provider({
      resolver: createResolver({
        servers: [world.dns.address, otherServer.address],
        timeoutMs: 600_000,
        clock: systemClock,
      }),
    })
  assertEnded(await send(provider(), 'you@gone.nowhere.test'), hard, /^5\.1\.2 .* does not exist/)
  otherServer.set('gone.nowhere.test', {
    MX: [{ preference: 1, exchange: 'mx.gone.nowhere.test' }],
  })
  for (const attempt of [1, 2])
    assertEnded(
      await send(provider(), 'you@gone.nowhere.test', { attempt }),
      { kind: 'deferred' },
      /^4\.4\.3 of two name servers/,
    )
  otherServer.misbehave('gone.nowhere.test', 'servfail')
  assertEnded(await send(provider(), 'you@gone.nowhere.test'), { kind: 'deferred' }, /^4\.1\.2 /)
})

test('null MX: refused, the domain takes no mail; never its address', async () => {
  world.dns.set('null.test', { MX: [{ preference: 0, exchange: '.' }], A: ['127.0.0.1'] })
  assertEnded(
    await send(world.provider(), 'you@null.test'),
    { kind: 'refused', reason: 'hard' },
    /^5\.1\.10 .* takes no mail/,
  )
})

for (const preference of [0, 20]) {
  test(`MX ${preference} "." beside 10 mx: no null MX (RFC 7505 3), the mail goes to the host`, async () => {
    world.dns.set('half-null.test', {
      MX: [
        { preference, exchange: '.' },
        { preference: 10, exchange: 'mx.half-null.test' },
      ],
    })
    world.dns.set('mx.half-null.test', { A: ['127.0.0.1'] })
    const outcome = await send(world.provider(), 'you@half-null.test')
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
  })
}

for (const odd of [
  'mx\0.odd.test',
  'a.odd.test,b.odd.test',
  'enforce a.odd.test',
  'a.odd.test*',
  'b\u0007.odd.test',
]) {
  test(`${JSON.stringify(odd)} is no name of a host: others beside it are taken; alone it has no host, and no record has it`, async () => {
    const records = [{ preference: 1, exchange: odd }]
    world.dns.set(odd, { A: ['127.0.0.2'] })
    world.dns.set('odd.test', { MX: records })
    const outcome = await send(world.provider(), 'you@odd.test')
    assertEnded(
      outcome,
      { kind: 'refused', reason: 'other' },
      /^5\.4\.4 no mail host of odd\.test has the name of a host$/,
    )
    world.dns.set('odd.test', { MX: [...records, { preference: 2, exchange: 'even.odd.test' }] })
    world.dns.set('even.odd.test', { A: ['127.0.0.1'] })
    assert.equal((await send(world.provider(), 'you@odd.test')).kind, 'accepted')
  })
}

test('hosts that have no address: refused, and the recipient’s address is not suppressed', async () => {
  world.dns.set('empty.test', { MX: [{ preference: 0, exchange: 'gone.empty.test' }] })
  assertEnded(
    await send(world.provider(), 'you@empty.test'),
    { kind: 'refused', reason: 'other' },
    /^5\.4\.4 no mail host/,
  )
})

for (const address of [
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '127.0.0.1',
  '::1',
  '::ffff:10.0.0.1',
  'fd00::1',
  '0.0.0.0',
]) {
  test(`an MX at ${address}, which is not public: refused, and not dialled`, async () => {
    const domain = `closed-${address.replaceAll(/[.:]/g, '-')}x.test`
    world.domain(domain, [address])
    const requests = first.requests.length + third.requests.length
    const outcome = await send(world.provider({ allowed: subnetList([]) }), `you@${domain}`)
    assertEnded(outcome, { kind: 'refused', reason: 'other' }, /no address that may be dialled/)
    assert.equal(first.requests.length + third.requests.length, requests)
  })
}

test('of several addresses only those are dialled that may be', async () => {
  world.domain('mixed.test', ['10.0.0.1', '127.0.0.2'])
  assert.equal((await send(world.provider(), 'you@mixed.test')).kind, 'accepted')
})

test('we ourselves among the hosts: only those before us are tried', async () => {
  world.dns.set('circle.test', {
    MX: [
      { preference: 1, exchange: 'mx.circle.test' },
      { preference: 2, exchange: 'SENDER.test' },
      { preference: 3, exchange: 'late.circle.test' },
    ],
  })
  world.dns.set('mx.circle.test', { A: [nobody] })
  world.dns.set('late.circle.test', { A: ['127.0.0.1'] })
  assert.equal((await send(world.provider(), 'you@circle.test')).kind, 'deferred')
  assert.equal(deliveredTo(first, 'you@circle.test'), 0)
  world.dns.set('circle2.test', { MX: [{ preference: 1, exchange: 'sender.test' }] })
  assertEnded(
    await send(world.provider(), 'you@circle2.test'),
    { kind: 'refused', reason: 'other' },
    /for this machine itself/,
  )
})

test('EHLO says our name, and the connection leaves from our address', async () => {
  world.domain('source.test', ['::1', '127.0.0.1'])
  const provider = world.provider({ heloName: 'out.example.com', sourceAddresses: ['127.0.0.44'] })
  await send(provider, 'you@source.test')
  const open = first.requests.at(-1)
  assert.partialDeepStrictEqual(open, { from: '127.0.0.44' })
  assert.equal(open?.lines[0], 'EHLO out.example.com')
})

test('one connection serves one mail after the other, also of another domain with the same hosts', async () => {
  for (const domain of ['one.shared.test', 'two.shared.test'])
    world.dns.set(domain, { MX: [{ preference: 7, exchange: 'mx.shared.test' }] })
  world.dns.set('mx.shared.test', { A: ['127.0.0.2'] })
  const provider = world.provider()
  const requests = second.requests.length
  for (const domain of ['one', 'two', 'one', 'two'])
    await send(provider, `you@${domain}.shared.test`)
  assert.equal(second.requests.length, requests + 1)
})

test('many small domains: only the last used ones have open connections', async () => {
  const many = await world.host('127.0.0.20')
  for (let n = 0; n < 100; n++) world.domain(`small${n}.test`, ['127.0.0.20'])
  const provider = world.provider()
  for (let n = 0; n < 100; n++)
    assert.equal((await send(provider, `you@small${n}.test`)).kind, 'accepted')
  await many.until(() => many.requests.filter(({ ended }) => !ended).length <= 64)
  const [oldest, last] = [many.requests[0], many.requests.at(-1)]
  assert.ok(oldest?.lines.includes('QUIT') && oldest.ended && last?.ended === false)
})

test('STARTTLS is taken where it is offered, with any certificate', async () => {
  world.domain('tls.test', ['127.0.0.7'])
  assert.equal((await send(world.provider(), 'you@tls.test')).kind, 'accepted')
  assert.deepEqual(encrypting.requests.at(-1)?.lines.slice(0, 3), [
    'EHLO sender.test',
    'STARTTLS',
    'EHLO sender.test',
  ])
})

test('a handshake that fails: once more without it', async () => {
  world.domain('boast.test', ['127.0.0.8'])
  assert.equal((await send(world.provider(), 'you@boast.test')).kind, 'accepted')
  assert.deepEqual(
    boasting.requests.map(({ lines }) => lines.includes('STARTTLS')),
    [true, false],
  )
})

test('mail leaves as it was signed; a mail that cannot be signed is deferred and does not leave', async () => {
  world.domain('signed.test', ['127.0.0.1'])
  const provider = world.provider({ sign: signedFor('demo.test') })
  await send(provider, 'you@signed.test')
  assert.match(first.mails.at(-1)?.bytes.toString() ?? '', /^X-Signed: 1 demo\.test\r\nFrom:/)
  const unsigned = await provider.handOff(
    envelopeTo('other@signed.test', { fromDomain: 'broken.test' }),
    freeLease,
  )
  assert.partialDeepStrictEqual(unsigned, { kind: 'deferred', code: null, slower: false })
  assert.equal(deliveredTo(first, 'other@signed.test'), 0)
})

test('a greeting of 554 alone is no verdict on the address: deferred', async () => {
  world.domain('grumpy.test', ['127.0.0.4'])
  assert.partialDeepStrictEqual(await send(world.provider(), 'you@grumpy.test'), {
    kind: 'deferred',
    phase: 'greet',
    code: 554,
  })
  assert.ok(refusing.requests.length > 0)
})
