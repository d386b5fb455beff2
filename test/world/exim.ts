/** Exim, as Debian builds it, with a configuration of its own. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../support/make-certificate.ts'
import { eximAt } from './places.ts'
import { mailboxUser, makeFolder, untilGreeted, whyNot, type MailServer } from './servers.ts'

const program = '/usr/sbin/exim4'
export const whyNoExim = whyNot(program)

/**
 * It verifies the mails that it accepts, and writes its findings into the header
 * (Authentication-Results, RFC 8601). It accepts unknown recipients too and reports them by a
 * notice. Mail for `moved@` goes to a recipient whom the next host does not have.
 */
export async function startExim(scope: { after(end: () => void): void }): Promise<MailServer> {
  const home = makeFolder('exim', 'Debian-exim')
  const boxes = makeFolder('exim-boxes', mailboxUser)
  const { pem: certificate, privateKey } = makeCertificate({ commonName: 'mx.exim.test' })
  const pem = join(home, 'tls.pem')
  writeFileSync(pem, privateKey.export({ type: 'pkcs8', format: 'pem' }) + certificate)
  spawnSync('chown', ['Debian-exim', pem])
  const configuration = join(makeFolder('exim-etc'), 'exim.conf')
  writeFileSync(configuration, lines(home, boxes, pem), { mode: 0o644 })
  const daemon = spawn(program, ['-C', configuration, '-bdf', '-q1s'], { stdio: 'ignore' })
  scope.after(() => void daemon.kill())
  await untilGreeted(eximAt)
  return { mailbox: (name) => `${boxes}/${name}` }
}

const lines = (home: string, boxes: string, pem: string): string => `
primary_hostname = mx.exim.test
spool_directory = ${home}/spool
log_file_path = ${home}/%slog
pid_file_path = ${home}/pid
keep_environment =
local_interfaces = ${eximAt}
daemon_smtp_ports = 25
tls_advertise_hosts = *
tls_certificate = ${pem}
tls_privatekey = ${pem}
dsn_advertise_hosts = *
smtputf8_advertise_hosts = *
host_lookup = *
rfc1413_hosts =
dns_dnssec_ok = 0
acl_smtp_rcpt = rcpt
acl_smtp_data = data

begin acl
rcpt:
  accept domains = exim.test
  deny message = relaying denied
data:
  accept add_header = :at_start:\${authresults{mx.exim.test}}

begin routers
moved:
  driver = redirect
  domains = exim.test
  local_parts = moved
  data = nobody@strict.test
here:
  driver = accept
  domains = exim.test
  local_parts = reader
  transport = maildir
elsewhere:
  driver = dnslookup
  domains = ! exim.test
  transport = remote

begin transports
maildir:
  driver = appendfile
  directory = ${boxes}/reader
  maildir_format
  create_directory
  user = ${mailboxUser}
  return_path_add
  envelope_to_add
remote:
  driver = smtp
  hosts_try_dane =

begin retry
* * F,1h,1s
`
