/** The programs of others that hand mail in, and how each is called. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { diskFolder, makeTemporaryFolder } from '../support/temporary-folder.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { compose, content, type ProgramMail } from './program-mails.ts'
import type { Column, ProgramName } from './program-results.ts'

/** Where a program hands in. */
export interface Door {
  port: number
  key: string
  tls: 'none' | 'STARTTLS' | 'TLS'
}

export interface Program {
  /** Absent if it is there. */
  missing?: string | false
  /** Hands the mails in, and answers what its user sees of each reply. */
  submit(mails: readonly ProgramMail[], door: Door): Promise<Map<string, string>>
  /** What it cannot do, or what its composer cannot write. */
  lacks?: Column[]
}

const run = promisify(execFile)
const folder = makeTemporaryFolder('programs')
const sources = join(import.meta.dirname, 'programs')
const unpacked = join(
  process.env['FACTEUR_MAIL_PROGRAMS'] ?? join(diskFolder(), 'facteur-mail-programs'),
  'root',
)
const host = '127.0.0.1'
const authority = join(folder, 'authority.pem')
writeFileSync(authority, testCertificate.cert)
const envOf = ({ port, key, tls }: Door): NodeJS.ProcessEnv => ({
  ...process.env,
  ...{ HOST: host, PORT: String(port), KEY: key, TLS: tls },
  // OpenSSL, Go and Node.js each have a name of their own for whom they trust.
  ...{ SSL_CERT_FILE: authority, NODE_EXTRA_CA_CERTS: authority },
})

/** Without it they would load libraries that the system's own programs need in another version. */
const ofUnpacked = {
  LD_LIBRARY_PATH: globSync(join(unpacked, 'usr/lib/*-linux-gnu')).join(':'),
}
const fetchIt = 'sh test/submission/fetch-programs.sh unpacks it'
const isMissing = (file: string): string | false =>
  existsSync(file) ? false : `${file} is not there: ${fetchIt}`
async function exists(program: string): Promise<string | false> {
  const result = await run('which', [program]).catch(() => null)
  return result ? false : `${program} is not installed`
}

/** A program that composes the mails of content.json itself, and says a line of JSON for each. */
const composes =
  (file: string, args: string[], variables: NodeJS.ProcessEnv = {}): Program['submit'] =>
  async (mails, door) => {
    const CONTENT = join(folder, 'content.json')
    writeFileSync(CONTENT, JSON.stringify({ ...content, mails }))
    const env = { ...envOf(door), CONTENT, ...variables }
    const { stdout } = await run(file, args, { cwd: sources, env })
    const lines = stdout.trim().split('\n').map((line): { step: string; reply: string } => JSON.parse(line)) // oxfmt-ignore
    return new Map(lines.map(({ step, reply }) => [step, reply]))
  }

interface BytesToHandIn {
  file: string
  from: string
  recipients: string[]
  door: Door
}

/** A program that hands bytes in, one mail a call; a failed call says why on standard error. */
const handsIn =
  (call: (mail: BytesToHandIn) => Promise<unknown>): Program['submit'] =>
  async (mails, door) => {
    const replies = new Map<string, string>()
    for (const mail of mails) {
      const file = join(folder, `${mail.step}.eml`)
      writeFileSync(file, compose(mail))
      const recipients = [...mail.to, ...mail.bcc]
      const from = mail.envelopeFrom ?? /<(.*)>/.exec(mail.from)?.[1] ?? ''
      const output = await call({ file, from, recipients, door }).catch((error: unknown) => error)
      const { stdout = '', stderr = '' } = output as { stdout?: string; stderr?: string }
      replies.set(mail.step, `${stdout}${stderr}` || '250')
    }
    return replies
  }

const ruby = globSync(join(unpacked, 'usr/lib/{ruby,*/ruby}/{vendor_ruby,vendor_ruby/3.1.0,3.1.0}'))
const gems = globSync(join(unpacked, 'usr/lib/ruby/gems/3.1.0/gems/net-*/lib'))
const miniMime = globSync(join(unpacked, 'usr/share/rubygems-integration/all/gems/*/lib'))
const perl = globSync(join(unpacked, 'usr/lib/*/perl5/*'))

export const programs: Record<Exclude<ProgramName, 'postfix'>, Program> = {
  nodemailer: {
    submit: composes(process.execPath, ['nodemailer.mjs']),
    // It writes UTF-8 alone.
    lacks: ['charset'],
  },
  smtplib: { missing: await exists('python3'), submit: composes('python3', ['python_smtplib.py']) },
  django: {
    missing: isMissing(join(unpacked, 'usr/lib/python3/dist-packages/django')),
    submit: composes('python3', ['django_mail.py'], {
      PYTHONPATH: join(unpacked, 'usr/lib/python3/dist-packages'),
    }),
  },
  phpmailer: {
    missing: isMissing(join(unpacked, 'usr/bin/php8.2')),
    submit: composes(
      join(unpacked, 'usr/bin/php8.2'),
      [
        ...['-n', '-d', `include_path=${join(unpacked, 'usr/share/php/libphp-phpmailer')}`],
        ...globSync(join(unpacked, 'usr/lib/php/*/{ctype,mbstring}.so')).flatMap((file) => [
          '-d',
          `extension=${file}`,
        ]),
        'phpmailer.php',
      ],
      ofUnpacked,
    ),
    // It writes none beside a picture in the HTML.
    lacks: ['calendar'],
  },
  rails: {
    missing: isMissing(join(unpacked, 'usr/bin/ruby3.1')),
    submit: composes(join(unpacked, 'usr/bin/ruby3.1'), ['--disable-gems', 'rails_mail.rb'], {
      ...ofUnpacked,
      RUBYLIB: [...ruby, ...gems, ...miniMime].join(':'),
    }),
  },
  go: {
    missing: await exists('go'),
    submit: handsIn(async ({ file, from, recipients, door }) => {
      const program = join(folder, 'submits')
      if (!existsSync(program))
        await run('go', ['build', '-o', program, '.'], { cwd: join(sources, 'go') })
      const args = ['mail', from, file, ...recipients]
      const { stdout } = await run(program, args, { env: envOf(door) })
      const { reply }: { reply: string } = JSON.parse(stdout)
      return { stdout: reply }
    }),
    // net/smtp itself only begins it.
    lacks: ['TLS'],
  },
  msmtp: {
    missing: isMissing(join(unpacked, 'usr/bin/msmtp')),
    submit: handsIn(({ file, from, recipients, door }) => {
      const server = `--host=${host} --port=${door.port} --auth=plain --user=facteur --passwordeval='echo $KEY'`
      const tls =
        door.tls === 'none'
          ? '--tls=off'
          : `--tls=on --tls-starttls=${door.tls === 'TLS' ? 'off' : 'on'} --tls-trust-file="$SSL_CERT_FILE"`
      const command = `"$MSMTP" --file=/dev/null ${server} ${tls} --from="$SENDER" -- ${recipients.join(' ')} < "$FILE"`
      const MSMTP = join(unpacked, 'usr/bin/msmtp')
      const env = { ...envOf(door), ...ofUnpacked, MSMTP, SENDER: from, FILE: file }
      return run('sh', ['-c', command], { env })
    }),
  },
  swaks: {
    missing:
      isMissing(join(unpacked, 'usr/bin/swaks')) ||
      isMissing(
        perl.map((path) => join(path, 'Net/SSLeay.pm')).find(existsSync) ?? 'Net/SSLeay.pm',
      ),
    submit: handsIn(({ file, from, recipients, door }) =>
      run(
        'perl',
        [
          ...[join(unpacked, 'usr/bin/swaks'), '--server', host, '--port', String(door.port)],
          ...['--auth', 'LOGIN', '--auth-user', 'facteur', '--auth-password', door.key],
          ...['--from', from, '--to', recipients.join(','), '--data', `@${file}`, '--hide-send'],
          ...{ none: [], STARTTLS: ['--tls'], TLS: ['--tls-on-connect'] }[door.tls],
          ...(door.tls === 'none' ? [] : ['--tls-verify', '--tls-ca-path', authority]),
        ],
        { env: { ...envOf(door), PERL5LIB: perl.join(':') } },
      ),
    ),
  },
  curl: {
    missing: await exists('curl'),
    submit: handsIn(({ file, from, recipients, door }) =>
      run('curl', [
        ...['-sv', `${door.tls === 'TLS' ? 'smtps' : 'smtp'}://${host}:${door.port}`],
        ...(door.tls === 'none' ? [] : ['--ssl-reqd', '--cacert', authority]),
        ...['--user', `facteur:${door.key}`, '--mail-from', from],
        ...recipients.flatMap((recipient) => ['--mail-rcpt', recipient]),
        ...['--upload-file', file],
      ]),
    ),
  },
}
