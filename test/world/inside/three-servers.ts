/**
 * Our mail to Postfix, Exim and OpenSMTPD on port 25, and their notices: DNS alone gives the route,
 * both ways.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { testCertificate } from '../../support/test-certificate.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { at } from '../../support/json.ts'
import { startExim, whyNoExim } from '../exim.ts'
import {
  byRelay,
  ownDelivery,
  verifyDomain,
  sendMail,
  startInstallation,
  suppressedBy,
  untilStatuses,
  type Installation,
} from '../installation.ts'
import { mailOf } from '../maildir.ts'
import { startOpensmtpd, whyNoOpensmtpd } from '../opensmtpd.ts'
import { nameServer, ours, relayAt, zone } from '../places.ts'
import { startWorldPostfix, whyNoPostfix } from '../postfix.ts'
import { makeFolder } from '../servers.ts'
import { checkByDkimpy, checkByMailauth, returnPathOf } from '../verify-mail.ts'

const authority = join(makeFolder('authority'), 'relay.pem')
writeFileSync(authority, testCertificate.cert)
const dns = await startDnsServer({ names: zone, at: nameServer })
const [postfix, exim, opensmtpd, acme, relayed] = await Promise.all([
  whyNoPostfix ? null : startWorldPostfix({ after }),
  whyNoExim ? null : startExim({ after }),
  whyNoOpensmtpd ? null : startOpensmtpd({ after }),
  startInstallation({ after }, 'acme.test', ownDelivery),
  startInstallation({ after }, 'relayed-acme.test', byRelay(authority)),
])
const provided = await Promise.all(
  [acme, relayed].map((installation) => verifyDomain(installation, dns)),
)

const servers = [
  { name: 'postfix', whyNot: whyNoPostfix, box: postfix?.mailbox('postfix.test'), tls: /TLSv1\.3/ },
  { name: 'exim', whyNot: whyNoExim, box: exim?.mailbox('reader'), tls: /with esmtps/ },
  // Debian's build offers STARTTLS and breaks it off, with any key. The mail comes all the same, in
  // the clear (RFC 7435).
  {
    name: 'opensmtpd',
    whyNot: whyNoOpensmtpd,
    box: opensmtpd?.mailbox('reader'),
    tls: /with ESMTPS?/,
  },
]
/**
 * Taken at first; each server finds out later, by itself or from the host that it hands the mail on
 * to (which is Postfix).
 */
const unknownOnes = [
  {
    name: 'postfix',
    whyNot: whyNoPostfix,
    email: 'gone@postfix.test',
    error: /^unknown user: "gone@postfix\.test"/,
  },
  { name: 'exim', whyNot: whyNoExim, email: 'gone@exim.test', error: /^Unrouteable address/ },
  {
    name: 'exim',
    whyNot: whyNoExim || whyNoPostfix,
    email: 'moved@exim.test',
    error: /^550 5\.1\.1 .*User unknown/,
  },
  {
    ...{ name: 'opensmtpd', whyNot: whyNoOpensmtpd || whyNoPostfix, email: 'moved@opensmtpd.test' },
    error: /^550 5\.1\.1 .*User unknown/,
  },
]
const signatures = ['rsa-sha256', 'ed25519-sha256']

test('every record of a domain, set as it was shown, is found', () => {
  for (const domain of provided) {
    assert.partialDeepStrictEqual(domain, { status: 'verified', verified_by: 'dns' })
    const records = at(domain, 'records')
    assert.ok(Array.isArray(records))
    assert.deepEqual(
      records.map((record) => at(record, 'purpose')),
      ['dkim', 'dkim', 'return_path', 'spf', 'dmarc', 'tls_reports'],
    )
    assert.ok(
      records.every((record) => at(record, 'status') === 'found'),
      JSON.stringify(records),
    )
  }
})

for (const { name, whyNot, box = '', tls } of servers) {
  const options = { skip: whyNot }
  test(
    `${name}: a mail arrives; both signatures, SPF and DMARC pass there; its notice says delivered`,
    options,
    async (t) => {
      const id = await sendMail(acme, [`reader@${name}.test`])
      const mail = await mailOf(box, id)
      const received = /^Received: ([^]*?)\n(?!\s)/m.exec(mail.toString())?.[1] ?? ''
      assert.match(received, tls)
      assert.ok(received.includes(`[${ours.v4}]`), received)
      await assertAuthentic(t, mail, { installation: acme, ip: ours.v4, helo: ours.name })
      // Exim verifies by itself, and says so.
      if (name === 'exim')
        assert.equal(mail.toString().match(/\bdkim=pass header\.d=acme\.test/g)?.length, 2)
      const [recipient] = await untilStatuses(acme, id, ['delivered'])
      assert.equal(recipient?.delivered_by, 'feedback')
    },
  )
}

test('the refusals of unknown addresses by the three reach those recipients alone, and suppress them', () =>
  assertBounces(
    acme,
    unknownOnes.filter(({ whyNot }) => whyNot === false),
  ))

test(
  'by a relay: mail that it forwards passes at Exim, whose own notice says delivered',
  { skip: whyNoPostfix || whyNoExim },
  async (t) => {
    const id = await sendMail(relayed, ['reader@exim.test'])
    const mail = await mailOf(exim?.mailbox('reader') ?? '', id)
    await assertAuthentic(t, mail, { installation: relayed, ip: relayAt, helo: 'mx.postfix.test' })
    await untilStatuses(relayed, id, ['delivered'])
  },
)

test(
  'by a relay: its notices, and those of the servers behind it, land on their recipients',
  { skip: whyNoPostfix },
  () =>
    assertBounces(
      relayed,
      unknownOnes.filter(({ whyNot }) => whyNot === false),
    ),
)

test('every server got the answer that its notices were accepted: none came twice', async () => {
  for (const { baseUrl } of [acme, relayed]) {
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
    assert.match(metrics, /^facteur_returned_mails_total\{outcome="bounced"\} [1-9]/m)
    assert.doesNotMatch(
      metrics,
      /^facteur_returned_mails_total\{outcome="(?:repeated|error|unreadable|broken_off)"\} [1-9]/m,
    )
  }
})

/** By mailauth and, where it is there, by dkimpy. */
async function assertAuthentic(
  t: TestContext,
  mail: Buffer,
  { installation: { domain }, ...from }: { installation: Installation; ip: string; helo: string },
): Promise<void> {
  assert.ok(returnPathOf(mail).endsWith(`@bounce.${domain}`))
  assert.deepEqual(await checkByMailauth(mail, from), {
    dkim: signatures.map((algorithm) => ({ algorithm, result: 'pass', aligned: domain })),
    spf: { result: 'pass', domain: `bounce.${domain}` },
    dmarc: { result: 'pass', spfAligned: `bounce.${domain}` },
  })
  const byDkimpy = await checkByDkimpy(mail)
  if (byDkimpy === null) return t.diagnostic('dkimpy is not there')
  assert.deepEqual(
    byDkimpy,
    signatures.map((algorithm) => ({ algorithm, domain, passes: true })),
  )
}

/**
 * One message to all of these and to a reader of each server: those bounce, with what was said, and
 * the readers have it.
 */
async function assertBounces(installation: Installation, cases: typeof unknownOnes): Promise<void> {
  const readers = [...new Set(cases.map(({ name }) => `reader@${name}.test`))]
  const id = await sendMail(installation, [...readers, ...cases.map(({ email }) => email)])
  const expected = [...readers.map(() => 'delivered'), ...cases.map(() => 'bounced')]
  const recipients = await untilStatuses(installation, id, expected)
  for (const { email, error } of cases)
    assert.match(recipients.find((recipient) => recipient.email === email)?.error ?? '', error)
  assert.deepEqual(await suppressedBy(installation), cases.map(({ email }) => email).toSorted())
}
