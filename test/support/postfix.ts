/** Postfix as others run it, where it is installed: a server that we did not write. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCertificate } from './test-certificate.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export const whyNoPostfix = !existsSync('/usr/sbin/postfix')
  ? 'skipped: postfix is not there (Debian: apt-get install postfix)'
  : process.getuid?.() === 0
    ? false
    : 'skipped: postfix only starts as root'

interface PostfixOptions {
  /** Lines of its master.cf beside ours. */
  services?: string[]
}

/**
 * Answers the port that it listens on; `settings` are lines of its main.cf. Each has its own
 * configuration, queue and port.
 */
export async function startPostfix(
  t: { after(end: () => void): void },
  settings: string[],
  { services = [] }: PostfixOptions = {},
): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'facteur-postfix-'))
  chmodSync(home, 0o755)
  const config = join(home, 'etc')
  for (const folder of ['etc', 'queue', 'data']) mkdirSync(join(home, folder))
  spawnSync('chown', ['postfix', join(home, 'data')])
  writeFileSync(join(home, 'tls.pem'), testCertificate.key + testCertificate.cert, { mode: 0o600 })
  const port = await freePort()
  writeFileSync(
    join(config, 'main.cf'),
    [
      'compatibility_level = 3.6',
      `queue_directory = ${join(home, 'queue')}`,
      `data_directory = ${join(home, 'data')}`,
      'mail_owner = postfix',
      'myhostname = postfix.test',
      'inet_interfaces = 127.0.0.1',
      'inet_protocols = ipv4',
      'mynetworks = 127.0.0.0/8',
      'maillog_file =',
      'syslog_name = facteur-test-postfix',
      'alias_maps =',
      'alias_database =',
      `smtpd_tls_chain_files = ${join(home, 'tls.pem')}`,
      'smtpd_error_sleep_time = 0',
      'smtpd_relay_restrictions = permit_mynetworks, reject',
      ...settings,
      '',
    ].join('\n'),
  )
  writeFileSync(
    join(config, 'master.cf'),
    [
      `127.0.0.1:${port} inet n - n - - smtpd`,
      'cleanup unix n - n - 0 cleanup',
      'qmgr unix n - n 300 1 qmgr',
      'rewrite unix - - n - - trivial-rewrite',
      'bounce unix - - n - 0 bounce',
      'defer unix - - n - 0 bounce',
      'trace unix - - n - 0 bounce',
      'smtp unix - - n - - smtp',
      'discard unix - - n - - discard',
      'error unix - - n - - error',
      'retry unix - - n - - error',
      'anvil unix - - n - 1 anvil',
      'tlsmgr unix - - n 1000? 1 tlsmgr',
      'proxymap unix - - n - - proxymap',
      'scache unix - - n - 1 scache',
      ...services,
      '',
    ].join('\n'),
  )
  const started = spawnSync('/usr/sbin/postfix', ['-c', config, 'start'], { encoding: 'utf8' })
  t.after(() => {
    spawnSync('/usr/sbin/postfix', ['-c', config, 'stop'], { stdio: 'ignore' })
    rmSync(home, { recursive: true, force: true })
  })
  assert.equal(started.status, 0, started.stderr + started.stdout)
  await untilListening(port)
  return port
}

/** Until something listens there; throws with the reason that `whyNever` gives. */
export async function untilListening(
  port: number,
  whyNever: () => string | null = () => null,
): Promise<void> {
  await until(async () => {
    const never = whyNever()
    if (never !== null) throw new Error(never)
    const socket = connect(port, '127.0.0.1')
    const isUp = await new Promise<boolean>((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    return isUp
  })
}
