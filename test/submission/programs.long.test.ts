/**
 * Programs that others wrote hand mail in, each in a process of its own: what arrives at the
 * relay's server is compared part by part, and each refusal is shown to the program's user.
 * `sh test/submission/fetch-programs.sh` brings those that are not installed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import PostalMime from 'postal-mime'
import { systemClock } from '../../src/ground/clock.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { startPostfix, whyNoPostfix } from '../support/postfix.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { diskFolder, makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { startSubmissionWorld } from './world.ts'

const run = promisify(execFile)
const folder = makeTemporaryFolder('programs')
const sources = join(import.meta.dirname, 'programs')
const unpacked = join(
  process.env['FACTEUR_MAIL_PROGRAMS'] ?? join(diskFolder(), 'facteur-mail-programs'),
  'root',
)
const peer = await startScriptedPeer()
after(() => peer.close())
const world = await startSubmissionWorld({
  provider: createSmtpRelay({
    relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
    clock: systemClock,
  }),
})
const shop = await world.workspace('Programs')
await shop.suppress('left@example.com', 'complaint')

const content = {
  subject: 'Commande n° 1042 ✓',
  text: 'Bonjour Zoé,\n.une ligne avec un point\nÀ bientôt',
  html: '<p>Bonjour Zoé <img src="cid:logo"></p>',
  logo: Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1').toString('base64'),
  filename: 'reçu.bin',
  file: Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('base64'),
  calendar: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n',
  mails: [] as { step: string; from: string; to: string[]; bcc: string[] }[],
}
const from = `Boutique <hello@${shop.domain}>`
const crlf = (text: string): string => text.replaceAll('\n', '\r\n')

/** The good mail, and a refused and a suppressed one beside it, named after the program. */
const mailsOf = (program: string) => [
  { step: 'good', from, to: [`to@${program}.example`], bcc: [`bcc@${program}.example`] },
  {
    ...{ step: 'unverified', from: 'Boutique <hello@elsewhere.test>' },
    ...{ to: [`to@${program}.example`], bcc: [] },
  },
  { step: 'suppressed', from, to: [`to@${program}.example`, 'left@example.com'], bcc: [] },
]

interface Program {
  /** Absent if it is there. */
  missing?: string | false
  /** Hands the mails in, and answers what its user sees of each reply. */
  submit(mails: ReturnType<typeof mailsOf>): Promise<Map<string, string>>
  /** What its composer cannot write. */
  lacks?: 'calendar'[]
}

const libraries = globSync(join(unpacked, 'usr/lib/*-linux-gnu')).join(':')
const env = {
  ...process.env,
  ...{ HOST: '127.0.0.1', PORT: String(world.port), KEY: shop.key },
  CONTENT: join(folder, 'content.json'),
}
/** Without it they would load libraries that the system's own programs need in another version. */
const ofUnpacked = { LD_LIBRARY_PATH: libraries }
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
  async (mails) => {
    writeFileSync(env.CONTENT, JSON.stringify({ ...content, mails }))
    const { stdout } = await run(file, args, { cwd: sources, env: { ...env, ...variables } })
    const lines = stdout.trim().split('\n').map((line): { step: string; reply: string } => JSON.parse(line)) // oxfmt-ignore
    return new Map(lines.map(({ step, reply }) => [step, reply]))
  }

/** A program that hands bytes in, one mail a call; a failed call says why on standard error. */
const handsIn =
  (call: (mail: { file: string; from: string; recipients: string[] }) => Promise<unknown>): Program['submit'] =>
  async (mails) => {
    const replies = new Map<string, string>()
    for (const mail of mails) {
      const file = join(folder, `${mail.step}.eml`)
      writeFileSync(file, compose(mail))
      const recipients = [...mail.to, ...mail.bcc]
      const sender = /<(.*)>/.exec(mail.from)?.[1] ?? ''
      const output = await call({ file, from: sender, recipients }).catch((error: unknown) => error)
      const { stdout = '', stderr = '' } = output as { stdout?: string; stderr?: string }
      replies.set(mail.step, `${stdout}${stderr}` || '250')
    }
    return replies
  } // oxfmt-ignore

let composed = 0
function compose({ from: sender, to }: { from: string; to: string[] }): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const lines = [
    `From: ${sender}`,
    `To: ${to.join(', ')}`,
    `Subject: =?utf-8?B?${base64(content.subject)}?=`,
    `Message-ID: <${++composed}@raw.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=m',
    ...['', '--m', 'Content-Type: multipart/alternative; boundary=a', ''],
    ...['--a', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', ''],
    ...content.text.split('\n'),
    ...['--a', 'Content-Type: multipart/related; boundary=r', '', '--r'],
    ...['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64', ''],
    base64(content.html),
    ...['--r', 'Content-Type: image/png; name=logo.png', 'Content-ID: <logo>'],
    ...['Content-Transfer-Encoding: base64', '', content.logo, '--r--'],
    ...['--a', 'Content-Type: text/calendar; charset=utf-8; method=REQUEST', ''],
    ...content.calendar.trimEnd().split('\r\n'),
    ...['--a--', '--m', 'Content-Type: application/octet-stream'],
    `Content-Disposition: attachment; filename*=utf-8''re%C3%A7u.bin`,
    ...[
      'Content-Transfer-Encoding: base64',
      '',
      ...(content.file.match(/.{1,76}/g) ?? []),
      '--m--',
    ],
    '',
  ]
  return lines.join('\r\n')
}

const ruby = globSync(join(unpacked, 'usr/lib/{ruby,*/ruby}/{vendor_ruby,vendor_ruby/3.1.0,3.1.0}'))
const gems = globSync(join(unpacked, 'usr/lib/ruby/gems/3.1.0/gems/net-*/lib'))
const miniMime = globSync(join(unpacked, 'usr/share/rubygems-integration/all/gems/*/lib'))

const programs: Record<string, Program> = {
  nodemailer: { submit: composes(process.execPath, ['nodemailer.mjs']) },
  smtplib: { missing: await exists('python3'), submit: composes('python3', ['python_smtplib.py']) },
  django: {
    missing: isMissing(join(unpacked, 'usr/lib/python3/dist-packages/django')),
    submit: composes('python3', ['django_mail.py'], {
      PYTHONPATH: join(unpacked, 'usr/lib/python3/dist-packages'),
    }),
    lacks: ['calendar'],
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
    lacks: ['calendar'],
  },
  go: {
    missing: await exists('go'),
    submit: handsIn(async ({ file, from: sender, recipients }) => {
      const program = join(folder, 'submits')
      if (!existsSync(program))
        await run('go', ['build', '-o', program, '.'], { cwd: join(sources, 'go'), env })
      const { stdout } = await run(program, ['mail', sender, file, ...recipients], { env })
      const { reply }: { reply: string } = JSON.parse(stdout)
      return { stdout: reply }
    }),
  },
  msmtp: {
    missing: isMissing(join(unpacked, 'usr/bin/msmtp')),
    submit: handsIn(({ file, from: sender, recipients }) => {
      const server = `--host=${env.HOST} --port=${env.PORT} --auth=plain --user=facteur --passwordeval='echo $KEY'`
      const command = `"$MSMTP" --file=/dev/null ${server} --tls=off --from="$SENDER" -- ${recipients.join(' ')} < "$FILE"`
      return run('sh', ['-c', command], {
        env: {
          ...env,
          ...ofUnpacked,
          MSMTP: join(unpacked, 'usr/bin/msmtp'),
          SENDER: sender,
          FILE: file,
        },
      })
    }),
  },
  swaks: {
    missing: isMissing(join(unpacked, 'usr/bin/swaks')),
    submit: handsIn(({ file, from: sender, recipients }) =>
      run('perl', [
        ...[join(unpacked, 'usr/bin/swaks'), '--server', env.HOST, '--port', env.PORT],
        ...['--auth', 'LOGIN', '--auth-user', 'facteur', '--auth-password', shop.key],
        ...['--from', sender, '--to', recipients.join(','), '--data', `@${file}`, '--hide-send'],
      ]),
    ),
  },
  curl: {
    missing: await exists('curl'),
    submit: handsIn(({ file, from: sender, recipients }) =>
      run('curl', [
        ...['-sv', `smtp://${env.HOST}:${env.PORT}`, '--user', `facteur:${shop.key}`],
        ...[
          '--mail-from',
          sender,
          ...recipients.flatMap((recipient) => ['--mail-rcpt', recipient]),
        ],
        ...['--upload-file', file],
      ]),
    ),
  },
}

for (const [name, { missing = false, submit, lacks = [] }] of Object.entries(programs))
  test(
    `${name}: the mail arrives part by part; unverified and suppressed ones are refused to its user`,
    { skip: missing },
    async () => {
      const replies = await submit(mailsOf(name))
      assert.match(replies.get('good') ?? '', /250/)
      assert.match(replies.get('unverified') ?? '', /550[\s\S]*elsewhere\.test/)
      assert.match(replies.get('suppressed') ?? '', /550[\s\S]*left@example\.com/)
      await arrived(name, lacks)
    },
  )

/** What came for both recipients, and nothing else of the program. */
async function arrived(name: string, lacks: string[]): Promise<void> {
  const ofName = () => peer.mails.filter(({ to: [to = ''] }) => to.endsWith(`@${name}.example`))
  const mails = await until(ofName, ({ length }) => length >= 2)
  assert.deepEqual(mails.map(({ to }) => to[0]).toSorted(), [
    `bcc@${name}.example`,
    `to@${name}.example`,
  ])
  for (const { bytes } of mails) {
    const mail = await PostalMime.parse(bytes)
    assert.doesNotMatch(bytes.toString('latin1'), /^bcc:/im)
    assert.deepEqual(mail.from, { name: 'Boutique', address: `hello@${shop.domain}` })
    assert.equal(mail.subject, content.subject)
    assert.equal(crlf(mail.text ?? '').trimEnd(), crlf(content.text))
    assert.equal(mail.html?.trimEnd(), content.html)
    const filed = (find: (file: (typeof mail.attachments)[number]) => boolean): string => {
      const file = mail.attachments.find(find)
      return Buffer.from((file?.content as ArrayBuffer) ?? []).toString('base64')
    }
    assert.equal(
      filed(({ filename }) => filename === content.filename),
      content.file,
    )
    assert.equal(
      filed(({ mimeType }) => mimeType === 'image/png'),
      content.logo,
    )
    assert.equal(
      mail.attachments.find(({ mimeType }) => mimeType === 'image/png')?.contentId,
      '<logo>',
    )
    if (lacks.includes('calendar')) continue
    const calendar = mail.attachments.find(({ mimeType }) => mimeType === 'text/calendar')
    assert.equal(calendar?.method, 'REQUEST')
    assert.match(
      Buffer.from(calendar.content as ArrayBuffer).toString(),
      /^BEGIN:VCALENDAR\nMETHOD:REQUEST\nEND:VCALENDAR/,
    )
  }
}

test(
  'Postfix as a smarthost client: sixty recipients in two mails; one that is suppressed keeps its mail from all',
  { skip: whyNoPostfix },
  async (t) => {
    const port = await startPostfix(t, [
      'relayhost = [127.0.0.1]:' + world.port,
      'smtp_sasl_auth_enable = yes',
      `smtp_sasl_password_maps = inline:{ { [127.0.0.1]:${world.port} = facteur:${shop.key} } }`,
      'smtp_sasl_security_options = noanonymous',
      'smtp_destination_recipient_limit = 50',
    ])
    const file = join(folder, 'postfix.eml')
    const pass = (recipients: string[]) => {
      writeFileSync(file, compose({ from, to: ['list@postfix.example'] }))
      const named = recipients.flatMap((recipient) => ['--mail-rcpt', recipient])
      const server = [`smtp://127.0.0.1:${port}`, '--mail-from', `hello@${shop.domain}`]
      return run('curl', ['-s', ...server, ...named, '--upload-file', file])
    }
    const came = (pattern: RegExp) => () =>
      peer.mails.filter(({ to: [to = ''] }) => pattern.test(to)).length
    await pass(Array.from({ length: 60 }, (_, n) => `r${n}@postfix.example`))
    await until(came(/^r\d+@postfix/), (count) => count === 60)
    const refused = () => world.ends.filter((end) => end === 'suppressed_recipient').length
    const before = refused()
    await pass(['beside@postfix.example', 'left@example.com'])
    await until(refused, (count) => count > before)
    assert.equal(came(/^beside@/)(), 0)
  },
)
