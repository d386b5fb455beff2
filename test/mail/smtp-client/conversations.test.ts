/**
 * Conversations beyond the columns of the table: sharing of connections, TLS, AUTH, offers, leases,
 * closing.
 */
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { SmtpOutcome } from '../../../src/mail/smtp-client/outcome.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import {
  startScriptedPeer,
  type PeerOptions,
  type ScriptedPeer,
} from '../../support/scripted-peer.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { clientFor, envelopeTo, freeLease, largeBytes } from './phase-table.ts'

async function peerOf(t: TestContext, options: PeerOptions = {}): Promise<ScriptedPeer> {
  const peer = await startScriptedPeer(options)
  t.after(() => peer.close())
  return peer
}

function clientOf(
  t: TestContext,
  port: number,
  options: Parameters<typeof clientFor>[1] = {},
): ReturnType<typeof clientFor> {
  const client = clientFor(port, options)
  t.after(() => client.close(0))
  return client
}

function kinds(outcomes: SmtpOutcome[]): string[] {
  return outcomes.map(({ kind }) => kind)
}

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `r${at}@example.test`)

// ── The line and the connections ──

test('ten envelopes over one connection: one EHLO, ten mails, each MAIL but the first behind a dot', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(10).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
  assert.equal(peer.requests.length, 1)
  assert.deepEqual(
    peer.mails.map((mail) => mail.to[0]),
    names(10),
  )
})

test('without PIPELINING no command is sent before the reply to the one before', async (t) => {
  const peer = await peerOf(t, {
    offers: ['8BITMIME'],
    script: (at) =>
      at.phase === 'rcpt' && at.line.includes('r3@')
        ? { say: '250 slowly', afterMs: 20 }
        : undefined,
  })
  const client = clientOf(t, peer.port)
  await Promise.all(names(6).map((name) => client.handOff(envelopeTo(name), freeLease)))
  assert.equal(peer.mails.length, 6)
  assert.deepEqual(peer.requests[0]?.pipelined, [])
})

test('one RCPT refused among many: only its envelope is, and RSET comes before each next MAIL', async (t) => {
  const peer = await peerOf(t, {
    script: (at) =>
      at.phase === 'rcpt' && at.line.includes('r2@') ? '550 5.1.1 No such user' : undefined,
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(5).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(kinds(outcomes), ['accepted', 'accepted', 'refused', 'accepted', 'accepted'])
  assert.deepEqual(outcomes[2], {
    kind: 'refused',
    reason: 'hard',
    phase: 'rcpt',
    code: 550,
    response: '550 5.1.1 No such user',
  })
  assert.equal(peer.requests.length, 1)
})

test('RCPT refused and DATA answered 354 all the same: a lone dot, no recipient gets a mail, the next goes', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => {
      if (at.message !== 2) return undefined
      if (at.phase === 'rcpt') return '550 5.1.1 No such user'
      return at.phase === 'data' ? '354 go on' : undefined
    },
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(3).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(kinds(outcomes), ['accepted', 'refused', 'accepted'])
  assert.deepEqual(
    peer.mails.map((mail) => mail.to[0]),
    ['r0@example.test', 'r2@example.test'],
  )
  assert.equal(peer.requests.length, 1)
})

test('a refused dot that leaves the transaction open: the next envelope is its own, with its own recipient', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => (at.phase === 'dot' && at.line.includes('r1@') ? '554 5.3.0 no' : undefined),
    keepsRefused: true,
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(4).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(kinds(outcomes), ['accepted', 'refused', 'accepted', 'accepted'])
  assert.deepEqual(
    peer.mails.map((mail) => mail.to),
    [['r0@example.test'], ['r2@example.test'], ['r3@example.test']],
  )
})

test('MAIL refused, RCPT and DATA accepted all the same: the connection is dropped, and no empty mail is made', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => {
      if (!(at.connection === 1 && at.message === 2)) return undefined
      if (at.phase === 'mail') return '451 4.3.0 later'
      return at.phase === 'rcpt'
        ? '250 ok'
        : at.phase === 'data'
          ? '354 go on'
          : at.phase === 'dot'
            ? '250 taken'
            : undefined
    },
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(3).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(kinds(outcomes), ['accepted', 'deferred', 'accepted'])
  assert.deepEqual(
    peer.mails.map((mail) => mail.to[0]),
    ['r0@example.test', 'r2@example.test'],
  )
})

test('421 in place of every third reply to the dot: that envelope is deferred, all others are accepted once', async (t) => {
  let dots = 0
  const peer = await peerOf(t, {
    script: (at) => (at.phase === 'dot' && ++dots % 3 === 0 ? '421 4.7.0 enough' : undefined),
  })
  const client = clientOf(t, peer.port, { connections: 3 })
  const outcomes = await Promise.all(
    names(30).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, peer.mails.length)
  assert.equal(outcomes.filter(({ kind }) => kind === 'deferred').length, 30 - peer.mails.length)
  assert.equal(new Set(peer.mails.map((mail) => mail.to[0])).size, peer.mails.length)
})

test('a peer that closes after each mail: all are accepted once, over as many connections', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => (at.phase === 'mail' && at.message === 2 ? '421 4.7.0 one each' : undefined),
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(8).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
  assert.deepEqual(peer.mails.map((mail) => mail.to[0]).toSorted(), names(8))
  assert.equal(peer.requests.length, 8)
})

test('a peer that answers 421 to every MAIL: deferred, and no endless dialling', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => (at.phase === 'mail' ? '421 4.3.2 not now' : undefined),
  })
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all(
    names(3).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['deferred']))
  assert.ok(peer.requests.length <= 6)
})

test('an idle connection that the peer has closed meanwhile costs no envelope', async (t) => {
  const peer = await peerOf(t, {
    script: (at) =>
      at.connection === 1 && at.message === 2 && at.phase === 'mail' ? 'drop' : undefined,
  })
  const client = clientOf(t, peer.port)
  assert.equal((await client.handOff(envelopeTo('a@example.test'), freeLease)).kind, 'accepted')
  assert.equal((await client.handOff(envelopeTo('b@example.test'), freeLease)).kind, 'accepted')
  assert.equal(peer.requests.length, 2)
})

test('connections grow with the work up to `connections`, and rest afterwards', async (t) => {
  const peer = await peerOf(t, {
    script: (at) => (at.phase === 'dot' ? { say: '250 slow', afterMs: 30 } : undefined),
  })
  const client = clientOf(t, peer.port, { connections: 4, idleMs: 40 })
  await Promise.all(names(12).map((name) => client.handOff(envelopeTo(name), freeLease)))
  assert.equal(peer.requests.length, 4)
  await peer.until(() =>
    peer.requests.every(({ ended, lines }) => ended && lines.at(-1) === 'QUIT'),
  )
})

test('after `messagesPerConnection` a connection is left with QUIT', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port, { messagesPerConnection: 3 })
  const outcomes = await Promise.all(
    names(7).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
  assert.equal(peer.requests.length, 3)
  assert.deepEqual(
    peer.requests.slice(0, 2).map(({ lines }) => lines.at(-1)),
    ['QUIT', 'QUIT'],
  )
})

test('free(): none is taken to ride where replies to the dot take long, and again where they are quick', async (t) => {
  let nowMs = 0
  let replyMs = 150
  // The process's clock moves by what the peer is said to take, so that nothing depends on this
  // machine.
  const peer = await peerOf(t, {
    script: (at) => {
      if (at.phase === 'dot') nowMs += replyMs
      return undefined
    },
  })
  const client = clientOf(t, peer.port, {
    connections: 3,
    clock: { ...systemClock, monotonicMs: () => nowMs },
  })
  const handOver = (name: string) => client.handOff(envelopeTo(name), freeLease)
  await handOver('first@example.test')
  assert.equal(client.free(), 6, 'one slow reply says little')
  for (const name of names(10)) await handOver(name)
  assert.equal(client.free(), 3)
  replyMs = 5
  for (const name of names(10)) await handOver(name)
  assert.equal(client.free(), 6)
})

test('free(): one each before the peer is known, two with PIPELINING, less what is inside, none when closing', async (t) => {
  const peer = await peerOf(t, { script: (at) => (at.phase === 'dot' ? 'hang' : undefined) })
  const client = clientOf(t, peer.port, { connections: 3 })
  assert.equal(client.free(), 3)
  const outcomes = Promise.all([
    client.handOff(envelopeTo('a@example.test'), freeLease),
    client.handOff(envelopeTo('b@example.test'), freeLease),
  ])
  assert.equal(client.free(), 1)
  await peer.until(
    () => peer.requests.length === 2 && peer.requests.every(({ lines }) => lines.includes('DATA')),
  )
  assert.equal(client.free(), 4)
  const closed = client.close(50)
  assert.equal(client.free(), 0)
  assert.deepEqual(kinds(await outcomes), ['in_doubt', 'in_doubt'])
  await closed
})

test('an envelope that no connection takes in time is returned, untouched', async (t) => {
  const peer = await peerOf(t, {
    offers: [],
    script: (at) => (at.phase === 'dot' ? 'hang' : undefined),
  })
  let nowMs = 0
  const clock = { ...systemClock, monotonicMs: () => nowMs }
  const client = clientOf(t, peer.port, { waitMs: 60, timeouts: { dot: 100 }, clock })
  const first = client.handOff(envelopeTo('a@example.test'), freeLease)
  const second = client.handOff(envelopeTo('b@example.test'), freeLease)
  await peer.until(() => peer.requests[0]?.hangs === true)
  nowMs = 60
  assert.equal((await second).kind, 'returned')
  nowMs = 200
  assert.equal((await first).kind, 'in_doubt')
})

test('a rider behind a dot that gets no reply goes elsewhere as soon as there is a slot, and arrives once', async (t) => {
  const known = new Set<string>()
  const [stuckAnswer, slowAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const peer = await peerOf(t, {
    script: (at) => {
      known.add(`${at.phase} ${at.line}`)
      if (at.phase !== 'dot') return undefined
      if (at.line.includes('stuck@'))
        return { say: '250 2.0.0 at last', after: stuckAnswer.promise }
      return at.line.includes('slow@')
        ? { say: '250 2.0.0 done', after: slowAnswer.promise }
        : undefined
    },
  })
  const client = clientOf(t, peer.port, { connections: 2, waitMs: 60 })
  let stuckEnded = false
  const stuck = client
    .handOff(envelopeTo('stuck@example.test'), freeLease)
    .finally(() => (stuckEnded = true))
  await peer.until(() => known.has('dot stuck@example.test'))
  const slow = client.handOff(envelopeTo('slow@example.test'), freeLease)
  await peer.until(() => known.has('dot slow@example.test'))
  const rider = client.handOff(envelopeTo('rider@example.test'), freeLease)
  slowAnswer.resolve()
  assert.equal((await rider).kind, 'accepted')
  assert.equal(stuckEnded, false)
  stuckAnswer.resolve()
  assert.deepEqual(kinds(await Promise.all([stuck, slow])), ['accepted', 'accepted'])
  assert.deepEqual(peer.mails.map((mail) => mail.to[0]).toSorted(), [
    'rider@example.test',
    'slow@example.test',
    'stuck@example.test',
  ])
})

// ── Dialling ──

test('no listener: deferred at dial, and during the pause of the relay at once, with no slot', async (t) => {
  const client = clientOf(t, await closedPort(), {
    connections: 4,
    backoffMs: { first: 60_000, max: 60_000 },
  })
  const first = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.equal(first.kind, 'deferred')
  assert.ok(
    first.kind === 'deferred' && first.phase === 'dial' && first.response.includes('ECONNREFUSED'),
  )
  assert.equal(client.free(), 0)
  assert.deepEqual(await client.handOff(envelopeTo('b@example.test'), freeLease), first)
})

test('dialling takes for ever: deferred at dial after the time for it', async (t) => {
  const client = clientOf(t, 1, {
    timeouts: { dial: 50 },
    dial: (_, signal) => never(signal),
  })
  const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.deepEqual(outcome, {
    kind: 'deferred',
    phase: 'dial',
    code: null,
    response: 'no connection within 0.05 s',
  })
})

// ── TLS ──

test('STARTTLS offered: used, EHLO said again, nothing sent in clear but EHLO and STARTTLS', async (t) => {
  const secure: string[] = []
  const peer = await peerOf(t, {
    offers: ['PIPELINING', 'STARTTLS'],
    certificate: testCertificate,
    script: (at) => {
      secure.push(`${at.phase}${at.secure ? ' (TLS)' : ''}`)
      return undefined
    },
  })
  const client = clientOf(t, peer.port, {
    relay: { host: '127.0.0.1', port: peer.port, tls: 'required', ca: testCertificate.cert },
  })
  assert.equal((await client.handOff(envelopeTo('a@example.test'), freeLease)).kind, 'accepted')
  assert.equal(
    (
      await client.handOff(
        envelopeTo('b@example.test', Buffer.alloc(300_000, 'abc\r\n')),
        freeLease,
      )
    ).kind,
    'accepted',
  )
  assert.deepEqual(secure.slice(0, 5), ['greet', 'ehlo', 'starttls', 'ehlo (TLS)', 'mail (TLS)'])
})

test('implicit TLS: the greeting comes encrypted', async (t) => {
  const peer = await peerOf(t, { implicitTls: true, certificate: testCertificate })
  const client = clientOf(t, peer.port, {
    relay: { host: '127.0.0.1', port: peer.port, tls: 'implicit', ca: testCertificate.cert },
  })
  const outcomes = await Promise.all(
    names(5).map((name) => client.handOff(envelopeTo(name), freeLease)),
  )
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
})

for (const [title, tls, host, ca] of [
  ['a certificate that nobody vouches for', 'starttls', '127.0.0.1', undefined],
  ['a certificate for another name', 'starttls', 'localhost', testCertificate.cert],
  ['a certificate that nobody vouches for, implicit TLS', 'implicit', '127.0.0.1', undefined],
] as const) {
  test(`${title}, even on loopback: deferred at tls, nothing is sent`, async (t) => {
    const peer = await peerOf(t, {
      offers: ['STARTTLS'],
      certificate: testCertificate,
      implicitTls: tls === 'implicit',
    })
    const client = clientOf(t, peer.port, {
      relay: { host, port: peer.port, tls, ...(ca === undefined ? {} : { ca }) },
    })
    const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
    assert.ok(outcome.kind === 'deferred' && outcome.phase === 'tls', JSON.stringify(outcome))
    assert.ok(!peer.requests[0]?.lines.some((line) => line.startsWith('MAIL')))
  })
}

test('TLS required and not offered: deferred at tls', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port, {
    relay: { host: '127.0.0.1', port: peer.port, tls: 'required' },
  })
  const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.ok(outcome.kind === 'deferred' && outcome.phase === 'tls')
})

test('replies sent in clear behind the one to STARTTLS are discarded', async (t) => {
  const peer = await peerOf(t, {
    offers: ['STARTTLS', 'PIPELINING'],
    certificate: testCertificate,
    // A man in the middle would add this: an EHLO reply that offers other things.
    script: (at) =>
      at.phase === 'starttls'
        ? '220 go ahead\n250-evil.test\n250 AUTH PLAIN'
        : at.phase === 'ehlo' && at.secure
          ? '250-peer.test\n250 PIPELINING'
          : undefined,
  })
  const client = clientOf(t, peer.port, {
    relay: {
      host: '127.0.0.1',
      port: peer.port,
      tls: 'starttls',
      ca: testCertificate.cert,
      login: { user: 'u', password: 'secret' },
    },
  })
  const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.ok(outcome.kind === 'deferred' && outcome.phase === 'auth', JSON.stringify(outcome))
  assert.ok(!peer.requests[0]?.lines.some((line) => line.startsWith('AUTH')))
})

// ── AUTH ──

for (const [offer, expected] of [
  ['AUTH LOGIN PLAIN', [`AUTH PLAIN ${Buffer.from('\0jo%\0p:s').toString('base64')}`]],
  [
    'AUTH LOGIN',
    ['AUTH LOGIN', Buffer.from('jo%').toString('base64'), Buffer.from('p:s').toString('base64')],
  ],
] as const) {
  test(`${offer} on loopback`, async (t) => {
    const peer = await peerOf(t, { offers: [offer] })
    const client = clientOf(t, peer.port, {
      relay: {
        host: '127.0.0.1',
        port: peer.port,
        tls: 'starttls',
        login: { user: 'jo%', password: 'p:s' },
      },
    })
    assert.equal((await client.handOff(envelopeTo('a@example.test'), freeLease)).kind, 'accepted')
    assert.deepEqual(peer.requests[0]?.lines.slice(1, 1 + expected.length), expected)
  })
}

test('a wrong password: deferred at auth with the reply, and without the password', async (t) => {
  const peer = await peerOf(t, {
    offers: ['AUTH PLAIN'],
    script: (at) => (at.phase === 'auth' ? '535 5.7.8 Bad credentials' : undefined),
  })
  const client = clientOf(t, peer.port, {
    relay: {
      host: '127.0.0.1',
      port: peer.port,
      tls: 'starttls',
      login: { user: 'u', password: 'secret' },
    },
  })
  const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.deepEqual(outcome, {
    kind: 'deferred',
    phase: 'auth',
    code: 535,
    response: 'the relay does not accept the user and password (535 5.7.8 Bad credentials)',
  })
})

test('no TLS on the way to another machine: the password stays here', async (t) => {
  const peer = await peerOf(t, { offers: ['AUTH PLAIN'] })
  const client = clientOf(t, peer.port, {
    relay: {
      host: 'relay.test',
      port: peer.port,
      tls: 'starttls',
      login: { user: 'u', password: 'secret' },
    },
    dial: async ({ port }) => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
  })
  const outcome = await client.handOff(envelopeTo('a@example.test'), freeLease)
  assert.ok(outcome.kind === 'deferred' && outcome.phase === 'auth')
  assert.deepEqual(
    peer.requests[0]?.lines.map((line) => line.split(' ')[0]),
    ['EHLO'],
  )
})

// ── Offers ──

test('SMTPUTF8, 8BITMIME and SIZE are said when offered and needed', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port)
  const envelope = {
    ...envelopeTo('josé@example.test', Buffer.from('Subject: é\r\n\r\né\r\n')),
    utf8: true,
  }
  assert.equal((await client.handOff(envelope, freeLease)).kind, 'accepted')
  assert.ok(
    peer.requests[0]?.lines.includes(
      'MAIL FROM:<bounces@demo.test> SIZE=19 BODY=8BITMIME SMTPUTF8',
    ),
  )
  assert.deepEqual(peer.mails[0]?.to, ['josé@example.test'])
})

for (const [title, offers, change] of [
  ['SMTPUTF8 needed and not offered', ['8BITMIME'], { utf8: true }],
  ['8-bit content and 8BITMIME not offered', ['PIPELINING'], { bytes: Buffer.from('é\r\n') }],
  ['larger than SIZE', ['SIZE 10'], {}],
  [
    'a line end in the recipient',
    ['PIPELINING'],
    { recipient: 'a@example.test>\r\nRCPT TO:<b@example.test' },
  ],
  ['a line end in the return path', ['PIPELINING'], { returnPath: 'a\nb' }],
  [
    'an address that is not ASCII and not said to be',
    ['SMTPUTF8', '8BITMIME'],
    { recipient: 'é@example.test' },
  ],
] as const) {
  test(`${title}: refused, other, before MAIL`, async (t) => {
    const peer = await peerOf(t, { offers: [...offers] })
    const client = clientOf(t, peer.port)
    const outcome = await client.handOff({ ...envelopeTo('a@example.test'), ...change }, freeLease)
    assert.ok(
      outcome.kind === 'refused' &&
        outcome.reason === 'other' &&
        outcome.phase === 'mail' &&
        outcome.code === null,
      JSON.stringify(outcome),
    )
    assert.deepEqual(
      peer.requests[0]?.lines.map((line) => line.split(' ')[0]),
      ['EHLO'],
    )
  })
}

test('the empty return path of a notice', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port)
  assert.equal(
    (await client.handOff({ ...envelopeTo('a@example.test'), returnPath: '' }, freeLease)).kind,
    'accepted',
  )
  assert.ok(peer.requests[0]?.lines.some((line) => line.startsWith('MAIL FROM:<> ')))
})

// ── Leases ──

for (const pipelining of [true, false]) {
  test(`the lease allows MAIL and not the dot (${pipelining ? '' : 'no '}PIPELINING): returned, the connection dropped, no mail`, async (t) => {
    const peer = await peerOf(t, { offers: pipelining ? ['PIPELINING'] : [] })
    const client = clientOf(t, peer.port)
    let requested = 0
    const outcome = await client.handOff(envelopeTo('a@example.test'), {
      mayProceed: () => ++requested === 1,
      mayPassDot: () => false,
    })
    assert.equal(outcome.kind, 'returned')
    await peer.until(() => peer.requests[0]?.ended === true)
    assert.deepEqual(peer.mails, [])
  })
}

test('a large content whose lease ends while it goes: returned before the dot, no mail', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port)
  let requested = 0
  const outcome = await client.handOff(
    envelopeTo('a@example.test', Buffer.alloc(400_000, 'abc\r\n')),
    {
      mayProceed: () => ++requested < 3,
      mayPassDot: () => ++requested < 3,
    },
  )
  assert.equal(outcome.kind, 'returned')
  assert.equal(requested, 3)
  await peer.until(() => peer.requests[0]?.ended === true)
  assert.deepEqual(peer.mails, [])
})

test('a lease that is over before MAIL: returned, nothing said, and the connection serves the others', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port)
  const outcomes = await Promise.all([
    client.handOff(envelopeTo('a@example.test'), freeLease),
    client.handOff(envelopeTo('late@example.test'), {
      mayProceed: () => false,
      mayPassDot: () => false,
    }),
    client.handOff(envelopeTo('b@example.test'), freeLease),
  ])
  assert.deepEqual(kinds(outcomes), ['accepted', 'returned', 'accepted'])
  assert.ok(!peer.requests[0]?.lines.some((line) => line.includes('late@')))
  assert.equal(peer.requests.length, 1)
})

// ── Closing ──

test('close() lets hand-offs under way end, returns waiting ones, and takes no more', async (t) => {
  const slowly = Promise.withResolvers<void>()
  const peer = await peerOf(t, {
    offers: [],
    script: (at) => (at.phase === 'dot' ? { say: '250 slow', after: slowly.promise } : undefined),
  })
  const client = clientFor(peer.port)
  const concurrent = client.handOff(envelopeTo('a@example.test'), freeLease)
  await peer.until(() => peer.requests[0]?.lines.includes('DATA') === true)
  const waiting = client.handOff(envelopeTo('b@example.test'), freeLease)
  const closed = client.close(600_000)
  assert.equal((await waiting).kind, 'returned')
  assert.equal((await client.handOff(envelopeTo('c@example.test'), freeLease)).kind, 'returned')
  slowly.resolve()
  assert.equal((await concurrent).kind, 'accepted')
  await closed
})

test('close() when the time is over: in doubt at the dot, returned before it and behind it', async (t) => {
  const known = new Set<string>()
  const peer = await peerOf(t, {
    script: (at) => {
      known.add(`${at.phase} ${at.line}`)
      return (at.connection === 1 && at.phase === 'dot') ||
        at.line === 'RCPT TO:<slow@example.test>'
        ? 'hang'
        : undefined
    },
  })
  const client = clientFor(peer.port, { connections: 2 })
  const atDot = client.handOff(envelopeTo('dot@example.test'), freeLease)
  await peer.until(() => known.has('dot dot@example.test'))
  const atRcpt = client.handOff(envelopeTo('slow@example.test'), freeLease)
  await peer.until(() => known.has('rcpt RCPT TO:<slow@example.test>'))
  const rider = client.handOff(envelopeTo('rider@example.test'), freeLease)
  await client.close(30)
  assert.deepEqual(kinds(await Promise.all([atDot, atRcpt, rider])), [
    'in_doubt',
    'returned',
    'returned',
  ])
})

test('close() while dialling and with nothing to do ends at once', async (t) => {
  const peer = await peerOf(t, { script: (at) => (at.phase === 'greet' ? 'hang' : undefined) })
  const idle = clientFor(peer.port)
  await idle.close(5_000)
  const dialling = clientFor(peer.port)
  const outcome = dialling.handOff(envelopeTo('a@example.test'), freeLease)
  await peer.until(() => peer.requests.length === 1)
  await dialling.close(5_000)
  assert.equal((await outcome).kind, 'returned')
})

test('close(0) does not wait for the reply to QUIT', async (t) => {
  const peer = await peerOf(t, { script: (at) => (at.phase === 'quit' ? 'hang' : undefined) })
  const client = clientFor(peer.port, { timeouts: { quit: 3_600_000 } })
  assert.equal((await client.handOff(envelopeTo('a@example.test'), freeLease)).kind, 'accepted')
  await client.close(0)
})

// ── Bytes ──

test('property: the bytes at the sink are the bytes sent, for any lines', async (t) => {
  const peer = await peerOf(t)
  const client = clientOf(t, peer.port, { connections: 4 })
  const line = fc.string({
    unit: fc.constantFrom('.', 'a', ' ', 'QUIT', 'é', '\t', 'DATA'),
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(line, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 }),
      async (messages) => {
        const sent = messages.map((lines) => lines.map((text) => `${text}\r\n`).join(''))
        peer.mails.length = 0
        const outcomes = await Promise.all(
          sent.map((text, at) =>
            client.handOff(envelopeTo(`r${at}@example.test`, Buffer.from(text)), freeLease),
          ),
        )
        assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
        const got = new Map(peer.mails.map((mail) => [mail.to[0], mail.bytes.toString()]))
        sent.forEach((text, at) => assert.equal(got.get(`r${at}@example.test`), text))
      },
    ),
    { numRuns: 60 },
  )
})

test('a large content arrives whole, and the envelope behind it too', async (t) => {
  const peer = await peerOf(t, { offers: ['PIPELINING'] })
  const client = clientOf(t, peer.port)
  const bytes = largeBytes.subarray(0, largeBytes.lastIndexOf('\r\n', 3_000_000) + 2)
  const outcomes = await Promise.all([
    client.handOff(envelopeTo('a@example.test', bytes), freeLease),
    client.handOff(envelopeTo('b@example.test'), freeLease),
  ])
  assert.deepEqual(kinds(outcomes), ['accepted', 'accepted'])
  assert.ok(peer.mails[0]?.bytes.equals(bytes))
})

/** A dial that only ends when it is given up. */
async function never(signal: AbortSignal): Promise<Socket> {
  await once(signal, 'abort')
  throw signal.reason
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address !== 'string')
  return address.port
}

// ── Notices (RFC 3461) ──

test('DSN offered: RET, ENVID, NOTIFY and ORCPT as xtext, in one write with all else; not offered or not ours: nothing of it', async (t) => {
  const withDsn = await peerOf(t, { offers: ['PIPELINING', 'SIZE', '8BITMIME', 'SMTPUTF8', 'DSN'] })
  const without = await peerOf(t)
  const requested = {
    ...envelopeTo('o+ne=1@example.test'),
    reference: 'id+1/0',
    notify: 'all',
  } as const
  const bulk = { ...envelopeTo('two@example.test'), reference: 'c/s', notify: 'trouble' } as const
  const beyond = {
    ...envelopeTo('é@example.test'),
    reference: 'c/é',
    utf8: true,
    notify: 'trouble',
  } as const
  for (const peer of [withDsn, without]) {
    const client = clientOf(t, peer.port)
    const outcomes = await Promise.all(
      [requested, bulk, beyond, envelopeTo('three@example.test')].map((item) =>
        client.handOff(item, freeLease),
      ),
    )
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']))
  }
  const commands = (peer: ScriptedPeer): string[] =>
    (peer.requests[0]?.lines ?? [])
      .filter((line) => /^(?:MAIL|RCPT)/.test(line))
      .map((line) => line.replace(/ SIZE=\d+/, ''))
  assert.deepEqual(commands(withDsn), [
    'MAIL FROM:<bounces@demo.test> RET=HDRS ENVID=id+2B1/0',
    'RCPT TO:<o+ne=1@example.test> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;o+2Bne+3D1@example.test',
    'MAIL FROM:<bounces@demo.test> RET=HDRS ENVID=c/s',
    'RCPT TO:<two@example.test> NOTIFY=FAILURE,DELAY ORCPT=rfc822;two@example.test',
    'MAIL FROM:<bounces@demo.test> SMTPUTF8 RET=HDRS ENVID=c/+E9',
    'RCPT TO:<é@example.test> NOTIFY=FAILURE,DELAY',
    'MAIL FROM:<bounces@demo.test>',
    'RCPT TO:<three@example.test>',
  ])
  assert.ok(commands(without).every((line) => !/RET=|NOTIFY=|ORCPT=/.test(line)))
  assert.equal(withDsn.requests.length, 1)
})
