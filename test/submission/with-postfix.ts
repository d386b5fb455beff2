/**
 * Postfix hands in what programs of its machine gave it: what arrives is compared part by part, and
 * what is refused comes back to its sender with the reason.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startPostfix, whyNoPostfix } from '../support/postfix.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { until } from '../support/until.ts'
import { mailsOf, type ProgramMail } from './program-mails.ts'
import { keepProgramResult, pageFile, type Column } from './program-results.ts'
import { compareArrived, peer, plain, secured, securedShop, shop } from './program-world.ts'
import { programs } from './programs.ts'

const authority = join(makeTemporaryFolder('postfix'), 'authority.pem')
writeFileSync(authority, testCertificate.cert)
const movingIn = join(pageFile, '../moving-in.md')
const sender = `hello@${shop.domain}`

/** As docs/smtp.md sets it up; `settings` come after, and the last one counts. */
function startSmarthostClient(
  t: TestContext,
  { port, key }: { port: number; key: string },
  settings: string[],
): Promise<number> {
  const [, lines = ''] = /```\n# main\.cf\n([\s\S]*?)```/.exec(readFileSync(pageFile, 'utf8')) ?? []
  const ours = lines
    .replaceAll('[mail.example.com]:587', `[127.0.0.1]:${port}`)
    .replace('fct_live_…', key)
  return startPostfix(t, [...ours.trim().split('\n'), ...settings])
}

/** Postfix takes every mail of its machine; what becomes of it is decided later. */
async function pass(port: number, mails: ProgramMail[]): Promise<void> {
  const replies = await programs.curl.submit(mails, { port, key: '', tls: 'none' })
  for (const { step } of mails) assert.match(replies.get(step) ?? '', /250 2\.0\.0 Ok: queued/)
}

test(
  'postfix: the mail arrives part by part, through TLS too; unverified and suppressed ones come back with the reason; sixty recipients leave in two mails',
  { skip: whyNoPostfix || (programs.curl.missing ?? false) },
  async (t) => {
    const compared = new Set<Column>()

    await t.test('without TLS, on this machine', async (own) => {
      const port = await startSmarthostClient(own, { port: plain.port, key: shop.key }, [
        'smtp_tls_security_level = none',
        `transport_maps = inline:{ { ${shop.domain} = smtp:[127.0.0.1]:${peer.port} } }`,
      ])
      const mails = mailsOf('postfix', shop.domain).map((mail) =>
        // Only its From is not verified: what is returned goes to the envelope's sender.
        mail.step === 'unverified' ? { ...mail, envelopeFrom: sender } : mail,
      )
      await pass(port, mails)
      const reasons = await until(
        () =>
          peer.mails.filter(({ to: [to] }) => to === sender).map(({ bytes }) => reasonOf(bytes)),
        ({ length }) => length >= 2,
      )
      assert.match(reasons.toSorted().join('\n'), /^550.*elsewhere\.test.*\n550.*left@example\.com/)
      compared.add('refused From').add('suppressed recipient')
      const sent = mails.filter(({ step }) => step === 'good' || step === 'charset')
      for (const column of await compareArrived('postfix', { sent })) compared.add(column)

      const [good = assert.fail()] = sent
      const to = Array.from({ length: 60 }, (_, n) => `r${n}@postfix-many.example`)
      const many = { ...good, to, bcc: [] }
      await until(() => plain.ends.length >= mails.length)
      await pass(port, [many])
      await compareArrived('postfix-many', { sent: [many] })
      const ends = await until(
        () => plain.ends.slice(mails.length),
        ({ length }) => length >= 2,
      )
      assert.deepEqual(ends, ['accepted', 'accepted'])
    })

    for (const [tls, door, settings] of [
      ['STARTTLS', secured.port, []],
      ['TLS', secured.tlsPort, ['smtp_tls_wrappermode = yes']],
    ] as const)
      await t.test(tls, async (own) => {
        const port = await startSmarthostClient(own, { port: door, key: securedShop.key }, [
          ...[`smtp_tls_CAfile = ${authority}`, 'smtp_tls_secure_cert_match = relay.test'],
          ...settings,
        ])
        const ofTls = `postfix-${tls.toLowerCase()}`
        const sent = mailsOf(ofTls, securedShop.domain).filter(({ step }) => step === 'good')
        await pass(port, sent)
        await compareArrived(ofTls, { sent })
        compared.add(tls)
      })
    keepProgramResult('postfix', compared)
  },
)

test(
  'postfix, as docs/moving-in.md sets it up: mail of cron leaves under an address that is verified',
  { skip: whyNoPostfix || (programs.curl.missing ?? false) },
  async (t) => {
    const [, lines = ''] =
      /```ini\n# main\.cf\n([\s\S]*?)```/.exec(readFileSync(movingIn, 'utf8')) ?? []
    const ours = lines
      .replaceAll('[127.0.0.1]:2587', `[127.0.0.1]:${plain.port}`)
      .replace('fct_live_…', shop.key)
    await shop.addDomain('acme.example', { verified: true })
    const port = await startPostfix(t, ours.trim().split('\n'))
    const [good = assert.fail()] = mailsOf('cron', shop.domain)
    await pass(port, [{ ...good, from: 'Cron <root@host.test>', bcc: [] }])
    const [mail] = await until(
      () => peer.mails.filter(({ to: [to] }) => to === good.to[0]),
      ({ length }) => length > 0,
    )
    assert.match(mail?.bytes.toString('latin1') ?? '', /^From: .*<server@acme\.example>\r?$/m)
  },
)

/** What the server that refused it said, in the report for its sender (RFC 3464 2.3.6). */
const reasonOf = (bytes: Buffer): string =>
  /^Diagnostic-Code: smtp; (.*(?:\r?\n[ \t]+.*)*)/m
    .exec(bytes.toString('latin1'))?.[1]
    ?.replaceAll(/\r?\n\s+/g, ' ') ?? assert.fail('it names no reason')
