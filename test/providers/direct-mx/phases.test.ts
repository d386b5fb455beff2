/**
 * Every phase × {4xx, 5xx, 421, drop, hang, garbage} for our own delivery: it separates the
 * outcomes that the relay's client separates.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rfcTimeouts } from '../../../src/mail/smtp-client/timeouts.ts'
import { behaviours, clockOfHangs, peerPhases } from '../../mail/smtp-client/faults.ts'
import {
  assertRow,
  largeBytes,
  patienceFor,
  phaseTable,
  titleOf,
  type Row,
} from '../../mail/smtp-client/phase-table.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import { send, startMxWorld } from '../../support/mx-world.ts'

const world = await startMxWorld()
const rows = phaseTable
  .filter(({ phase }) => phase !== 'auth')
  // No policy asks for encryption: where STARTTLS fails, the mail goes without.
  .map((row): Row => (row.phase === 'tls' ? { ...row, kind: 'accepted' } : row))
const cases = rows.flatMap((faulty) => [
  { row: faulty, pipelining: true },
  { row: faulty, pipelining: false },
])

for (const [index, { row, pipelining }] of cases.entries()) {
  const mode = pipelining ? 'PIPELINING' : 'no PIPELINING'
  test(`${mode}: ${titleOf(row)}`, async (t) => {
    let done = false
    const address = `127.1.${index >> 8}.${(index & 255) + 1}`
    const peer = await world.host(address, {
      offers: [
        '8BITMIME',
        ...(pipelining ? ['PIPELINING'] : []),
        ...(row.phase === 'tls' ? ['STARTTLS'] : []),
      ],
      certificate: testCertificate,
      script: ({ phase }) => {
        if (done || phase !== peerPhases[row.phase]) return undefined
        done = true
        return behaviours[row.fault](row.phase)
      },
    })
    const domain = `phase${index}.test`
    world.domain(domain, [address])
    const provider = world.provider({
      clock: clockOfHangs(peer),
      timeouts: { ...rfcTimeouts, ...patienceFor(row) },
    })
    t.after(() => provider.close(0))
    const outcome = await send(
      provider,
      `you@${domain}`,
      row.phase === 'content' ? { bytes: largeBytes } : {},
    )
    assert.ok(outcome.kind !== 'postponed')
    assertRow(outcome, row)
    assert.equal(peer.mails.length, row.kind === 'accepted' ? 1 : 0)
    assert.ok(done, 'it went wrong')
  })
}
