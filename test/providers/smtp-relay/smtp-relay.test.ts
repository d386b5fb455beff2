/**
 * The relay keeps a provider's promises, and its address is read without giving its password away.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { createSmtpRelay, parseSmtpUrl } from '../../../src/providers/smtp-relay/smtp-relay.ts'
import { startScriptedPeer } from '../../support/scripted-peer.ts'
import { testProvider } from '../conformance.ts'
import { envelopeTo, freeLease, signedFor } from '../../support/mx-world.ts'

for (const [mode, offers] of [
  ['PIPELINING', ['PIPELINING', 'SIZE 0', '8BITMIME', 'SMTPUTF8']],
  ['no PIPELINING', ['8BITMIME']],
] as const) {
  testProvider(`smtp-relay, ${mode}`, async () => {
    let silentAtDot = 0
    const slowly = Promise.withResolvers<void>()
    const peer = await startScriptedPeer({
      offers: [...offers],
      script: (at) => {
        if (at.phase === 'rcpt' && at.line.includes('hard@')) return '550 5.1.1 No such user'
        if (at.phase === 'dot' && at.line.includes('policy@'))
          return '554 5.7.1 Message looks like spam'
        if (at.phase === 'rcpt' && at.line.includes('deferred@')) return '451 4.3.0 Later'
        if (at.phase === 'dot' && at.line.includes('slow@'))
          return { say: '250 2.0.0 at last', after: slowly.promise }
        if (at.phase === 'dot' && at.line.includes('silent@')) {
          silentAtDot++
          return 'hang'
        }
        return undefined
      },
    })
    return {
      provider: createSmtpRelay({
        relay: { host: '127.0.0.1', port: peer.port, tls: 'starttls' },
        clock: systemClock,
        connections: 3,
      }),
      deliveredTo: (recipient) =>
        recipient.startsWith('silent@')
          ? silentAtDot
          : peer.mails.filter((mail) => mail.to.includes(recipient)).length,
      recipients: {
        accepted: 'accepted@example.test',
        hard: 'hard@example.test',
        policy: 'policy@example.test',
        deferred: 'deferred@example.test',
        slow: 'slow@example.test',
        silent: 'silent@example.test',
      },
      wakeSlow: () => slowly.resolve(),
      stop: () => peer.close(),
    }
  })
}

test('with keys, mail leaves signed; a mail that cannot be signed is deferred and does not leave', async (t) => {
  const peer = await startScriptedPeer()
  const relay = createSmtpRelay({
    relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
    clock: systemClock,
    heloName: 'out.example.com',
    sign: signedFor('demo.test'),
  })
  t.after(async () => {
    await relay.close(0)
    await peer.close()
  })
  assert.equal((await relay.handOff(envelopeTo('you@example.test'), freeLease)).kind, 'accepted')
  assert.match(peer.mails[0]?.bytes.toString() ?? '', /^X-Signed: 1 demo\.test\r\nFrom:/)
  assert.equal(peer.requests[0]?.lines[0], 'EHLO out.example.com')
  const unsigned = await relay.handOff(
    envelopeTo('you@example.test', { fromDomain: 'other.test' }),
    freeLease,
  )
  assert.partialDeepStrictEqual(unsigned, { kind: 'deferred', slower: false })
  assert.equal(peer.mails.length, 1)
})

const understood: [string, object][] = [
  ['smtp://relay.test', { host: 'relay.test', port: 587, tls: 'starttls' }],
  ['smtp://relay.test:25?tls=none', { host: 'relay.test', port: 25, tls: 'none' }],
  ['smtp://relay.test/?tls=required', { host: 'relay.test', port: 587, tls: 'required' }],
  ['smtps://relay.test', { host: 'relay.test', port: 465, tls: 'implicit' }],
  [
    'smtp://jo%40demo.test:p%25%3A@relay.test:2525',
    {
      host: 'relay.test',
      port: 2525,
      tls: 'starttls',
      login: { user: 'jo@demo.test', password: 'p%:' },
    },
  ],
  ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'starttls' }],
  ['SMTP://Relay.test', { host: 'relay.test', port: 587, tls: 'starttls' }],
]

for (const [text, relay] of understood) {
  test(`parseSmtpUrl: ${text}`, () => assert.deepEqual(parseSmtpUrl(text), relay))
}

for (const text of [
  '',
  'relay.test:25',
  'http://u:topsecret@relay.test',
  'smtp://u:topsecret@',
  'smtp://u:top secret/#@relay.test:x',
  'smtp://u:topsecret%zz@relay.test',
  'smtp://u@relay.test',
  'smtp://:topsecret@relay.test',
  'smtp://u:topsecret@relay.test/path',
  'smtp://u:topsecret@relay.test?tls=maybe',
  'smtp://u:topsecret@relay.test?secure=1',
  'smtps://u:topsecret@relay.test?tls=none',
  'smtp://u:topsecret@relay.test?ca=/does/not/exist.pem',
]) {
  test(`parseSmtpUrl refuses ${JSON.stringify(text)} in one line without the password`, () => {
    assert.throws(
      () => parseSmtpUrl(text),
      (error: unknown) => {
        assert.ok(error instanceof Error)
        assert.match(error.message, /^(?:\?ca= of )?FACTEUR_SMTP_URL[: ][^\n]+$/)
        assert.doesNotMatch(error.message, /topsecret/)
        return true
      },
    )
  })
}
