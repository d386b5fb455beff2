/** The phase table against Postfix itself, a server that others wrote. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startPostfix, whyNoPostfix } from '../../support/postfix.ts'
import { testCertificate } from '../../support/test-certificate.ts'
import {
  assertRow,
  clientFor,
  envelopeTo,
  freeLease,
  phaseTable,
  titleOf,
  type Fault,
  type FaultyPhase,
  type Row,
} from './phase-table.ts'

/** One address for each row that an access table can make: `<fault>-<phase>@example.test`. */
const postfixRows = phaseTable.filter(
  (row) =>
    ['mail', 'rcpt', 'data', 'dot'].includes(row.phase) &&
    ['4xx', '5xx', '421'].includes(row.fault),
)
const answers: Partial<Record<Fault, string>> = {
  '4xx': '451 4.3.0 later',
  '5xx': '554 5.3.0 never',
  '421': '421 4.3.2 closing',
}

function senderOf(row: Row): string {
  return `${row.fault}-${row.phase}@demo.test`
}

function tableFor(phase: FaultyPhase): string {
  const entries = postfixRows
    .filter((row) => row.phase === phase)
    .map((row) => `{ ${senderOf(row)} = ${answers[row.fault]} }`)
  return `check_sender_access inline:{ ${entries.join(', ')} }`
}

/** It discards the mails that it accepts; the sender chooses the phase that fails. */
const startRefusingPostfix = (t: TestContext): Promise<number> =>
  startPostfix(t, [
    'mydestination =',
    'default_transport = discard:',
    'relay_transport = discard:',
    'smtpd_delay_reject = no',
    'smtpd_tls_security_level = may',
    `smtpd_sender_restrictions = ${tableFor('mail')}`,
    `smtpd_recipient_restrictions = check_recipient_access inline:{ { unknown@example.test = 550 5.1.1 User unknown } }, ${tableFor('rcpt')}`,
    `smtpd_data_restrictions = ${tableFor('data')}`,
    `smtpd_end_of_data_restrictions = ${tableFor('dot')}`,
  ])

test('postfix', { skip: whyNoPostfix }, async (t) => {
  const port = await startRefusingPostfix(t)
  const relay = { host: '127.0.0.1', port, tls: 'starttls', ca: testCertificate.cert } as const

  for (const row of postfixRows) {
    await t.test(`${titleOf(row)}, and the envelopes around it are accepted`, async () => {
      const client = clientFor(port, { relay })
      const outcomes = await Promise.all([
        client.handOff(envelopeTo('before@example.test'), freeLease),
        client.handOff(
          { ...envelopeTo('somebody@example.test'), returnPath: senderOf(row) },
          freeLease,
        ),
        client.handOff(envelopeTo('after@example.test'), freeLease),
      ])
      await client.close(1_000)
      assert.equal(outcomes[0].kind, 'accepted', JSON.stringify(outcomes))
      assertRow(outcomes[1], row)
      assert.equal(outcomes[2].kind, 'accepted', JSON.stringify(outcomes))
    })
  }

  await t.test('5xx with 5.1.1 at RCPT: refused, hard', async () => {
    const client = clientFor(port, { relay })
    const outcome = await client.handOff(envelopeTo('unknown@example.test'), freeLease)
    await client.close(1_000)
    assert.ok(
      outcome.kind === 'refused' && outcome.reason === 'hard' && outcome.phase === 'rcpt',
      JSON.stringify(outcome),
    )
  })

  await t.test(
    '100 envelopes over 3 connections with TLS, UTF-8 addresses and dots: all accepted',
    async () => {
      const client = clientFor(port, { relay: { ...relay, tls: 'required' }, connections: 3 })
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          client.handOff(
            {
              ...envelopeTo(
                `${at % 2 ? 'é' : 'e'}${at}@example.test`,
                Buffer.from('Subject: x\r\n\r\n.\r\n..\r\né\r\n'),
              ),
              utf8: at % 2 === 1,
            },
            freeLease,
          ),
        ),
      )
      await client.close(1_000)
      assert.deepEqual(
        new Set(outcomes.map(({ kind }) => kind)),
        new Set(['accepted']),
        JSON.stringify(outcomes[1]),
      )
    },
  )

  await t.test('a certificate of an unknown authority: deferred at tls', async () => {
    const client = clientFor(port)
    const outcome = await client.handOff(envelopeTo('somebody@example.test'), freeLease)
    await client.close(1_000)
    assert.ok(outcome.kind === 'deferred' && outcome.phase === 'tls', JSON.stringify(outcome))
  })
})
