/**
 * OpenSMTPD, as Debian builds it. Its paths are compiled in: the namespace has them for it alone.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../support/make-certificate.ts'
import { opensmtpdAt } from './places.ts'
import { mailboxUser, makeFolder, untilGreeted, whyNot, type MailServer } from './servers.ts'

const program = '/usr/sbin/smtpd'
export const whyNoOpensmtpd = whyNot(program)

/**
 * Mail for `moved@` goes to a recipient whom the next host does not have; the notice names that
 * address.
 */
export async function startOpensmtpd(scope: { after(end: () => void): void }): Promise<MailServer> {
  const home = makeFolder('opensmtpd')
  const boxes = makeFolder('opensmtpd-boxes', mailboxUser)
  mkdirSync('/var/spool/smtpd', { mode: 0o711 })
  chmodSync('/var/spool/smtpd', 0o711)
  const certificate = makeCertificate({ commonName: 'mx.opensmtpd.test' })
  writeFileSync(join(home, 'cert.pem'), certificate.pem)
  writeFileSync(
    join(home, 'key.pem'),
    certificate.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    { mode: 0o600 },
  )
  const configuration = join(home, 'smtpd.conf')
  writeFileSync(configuration, lines(home, boxes), { mode: 0o600 })
  const daemon = spawn(program, ['-d', '-f', configuration], { stdio: 'ignore' })
  scope.after(() => void daemon.kill())
  await untilGreeted(opensmtpdAt)
  return { mailbox: (name) => `${boxes}/${name}` }
}

const lines = (home: string, boxes: string): string => `
pki mx.opensmtpd.test cert "${home}/cert.pem"
pki mx.opensmtpd.test key "${home}/key.pem"
listen on ${opensmtpdAt} port 25 hostname mx.opensmtpd.test tls pki mx.opensmtpd.test
table boxes { "reader@opensmtpd.test" = ${mailboxUser}, "moved@opensmtpd.test" = "nobody@strict.test" }
action "here" maildir "${boxes}/reader" virtual <boxes>
action "elsewhere" relay helo mx.opensmtpd.test
match from any for domain "opensmtpd.test" action "here"
match from local for any action "elsewhere"
`
