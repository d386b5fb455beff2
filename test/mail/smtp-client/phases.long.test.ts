/**
 * The phase table against a scripted peer, with and without PIPELINING, for a lone envelope and for
 * the one behind it.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startScriptedPeer, type Moment, type ScriptedPeer } from '../../support/scripted-peer.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { behaviours, clockOfHangs, peerPhases } from './faults.ts'
import {
  assertRow,
  clientFor,
  envelopeTo,
  freeLease,
  largeBytes,
  patienceFor,
  phaseTable,
  titleOf,
  type Row,
} from './phase-table.ts'

/** Goes wrong once, where `applies` says; friendly before and after. */
async function peerFor(
  t: TestContext,
  row: Row,
  options: { pipelining: boolean; applies?: (at: Moment) => boolean },
): Promise<ScriptedPeer> {
  let done = false
  const offers = [
    '8BITMIME',
    'AUTH PLAIN LOGIN',
    ...(options.pipelining ? ['PIPELINING'] : []),
    ...(row.phase === 'tls' ? ['STARTTLS'] : []),
  ]
  const peer = await startScriptedPeer({
    offers,
    certificate: testCertificate,
    script: (at) => {
      if (done || at.phase !== peerPhases[row.phase] || options.applies?.(at) === false)
        return undefined
      done = true
      return behaviours[row.fault](row.phase)
    },
  })
  t.after(() => peer.close())
  return peer
}

function clientOptions(row: Row, peer: ScriptedPeer): Parameters<typeof clientFor>[1] {
  return {
    clock: clockOfHangs(peer),
    timeouts: patienceFor(row),
    relay: {
      host: '127.0.0.1',
      port: peer.port,
      tls: 'starttls',
      ca: testCertificate.cert,
      ...(row.phase === 'auth' ? { login: { user: 'u', password: 'p' } } : {}),
    },
  }
}

for (const pipelining of [true, false]) {
  const mode = pipelining ? 'PIPELINING' : 'no PIPELINING'

  for (const row of phaseTable) {
    test(`${mode}: ${titleOf(row)}, and the next envelope is accepted`, async (t) => {
      const peer = await peerFor(t, row, { pipelining })
      const client = clientFor(peer.port, clientOptions(row, peer))
      t.after(() => client.close(0))
      const bytes = row.phase === 'content' ? largeBytes : undefined
      assertRow(await client.handOff(envelopeTo('first@example.test', bytes), freeLease), row)
      const next = await client.handOff(envelopeTo('next@example.test'), freeLease)
      assert.equal(next.kind, 'accepted', JSON.stringify(next))
      assert.deepEqual(
        peer.mails.map((mail) => mail.to),
        row.kind === 'accepted'
          ? [['first@example.test'], ['next@example.test']]
          : [['next@example.test']],
      )
    })
  }

  for (const row of phaseTable.filter(({ phase }) =>
    ['mail', 'rcpt', 'data', 'content', 'dot'].includes(phase),
  )) {
    test(`${mode}: ${titleOf(row)}, and three envelopes in line behind it are accepted once each`, async (t) => {
      const peer = await peerFor(t, row, { pipelining })
      const client = clientFor(peer.port, { clock: clockOfHangs(peer), timeouts: patienceFor(row) })
      t.after(() => client.close(0))
      const bytes = row.phase === 'content' ? largeBytes : undefined
      const [first, ...others] = await Promise.all([
        client.handOff(envelopeTo('first@example.test', bytes), freeLease),
        ...['a', 'b', 'c'].map((name) =>
          client.handOff(envelopeTo(`${name}@example.test`), freeLease),
        ),
      ])
      assertRow(first, row)
      assert.deepEqual(
        others.map(({ kind }) => kind),
        ['accepted', 'accepted', 'accepted'],
        JSON.stringify(others),
      )
      assert.deepEqual(peer.mails.map((mail) => mail.to[0]).toSorted(), [
        'a@example.test',
        'b@example.test',
        'c@example.test',
      ])
    })
  }
}

for (const row of phaseTable.filter(({ phase }) =>
  ['mail', 'rcpt', 'data', 'dot'].includes(phase),
)) {
  test(`${titleOf(row)}, when the envelope rode behind another's dot: that one is accepted`, async (t) => {
    const peer = await peerFor(t, row, { pipelining: true, applies: (at) => at.message === 2 })
    const client = clientFor(peer.port, { clock: clockOfHangs(peer), timeouts: patienceFor(row) })
    t.after(() => client.close(0))
    const [first, rider, third] = await Promise.all(
      ['first', 'rider', 'third'].map((name) =>
        client.handOff(envelopeTo(`${name}@example.test`), freeLease),
      ),
    )
    assert.equal(first?.kind, 'accepted')
    assert.equal(third?.kind, 'accepted', JSON.stringify(third))
    assert.ok(rider)
    // Nothing had answered it but the connection's end: it goes again on a fresh one.
    const goesAgain = row.phase === 'mail' && ['421', 'drop', 'hang', 'garbage'].includes(row.fault)
    if (goesAgain) assert.equal(rider.kind, 'accepted', JSON.stringify(rider))
    else assertRow(rider, row)
    assert.equal(
      new Set(peer.mails.map((mail) => mail.to[0])).size,
      peer.mails.length,
      'no mail twice',
    )
  })
}
