/**
 * Any input on the wire: it goes through the public API and our SMTP client into the referee, a
 * program that shares no code with them; its mails are read by two MIME parsers that others wrote
 * (security: Addresses, `headers`, Control characters).
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { systemClock } from '../../../src/ground/clock.ts'
import { parseMailbox, type Mailbox } from '../../../src/ground/address.ts'
import { createSmtpRelay } from '../../../src/providers/smtp-relay/smtp-relay.ts'
import { anyLine, anyText } from '../../support/arbitrary-message.ts'
import { startApi } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'
import { readReferee, type RefereeMail } from '../../support/referee-sink.ts'
import { until } from '../../support/until.ts'

const dir = mkdtempSync(join(tmpdir(), 'facteur-wire-'))
const referee = spawn(
  process.execPath,
  [join(import.meta.dirname, '../../support/referee-sink.ts'), '--dir', dir],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
after(() => {
  referee.kill()
  rmSync(dir, { recursive: true, force: true })
})
const [port] = (await once(createInterface(referee.stdout), 'line')) as [string]
const api = await startApi({
  provider: createSmtpRelay({
    relay: { host: '127.0.0.1', port: Number(port), tls: 'none' },
    clock: systemClock,
  }),
})
const workspace = await api.workspace('wire')

/** Everything of these stands in the mail only when the caller may put it there. */
const smuggled = 'SMUGGLED'
const victim = 'victim@example.net'

const domain = fc.constantFrom('example.com', 'a-b.example.org', 'exämple.de', '例え.jp')
const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/)
const local = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(atom, { minLength: 1, maxLength: 2 }).map((atoms) => atoms.join('.')),
  },
  { weight: 1, arbitrary: fc.constantFrom('"a b"', '"a\\"b"', '"a@b"', '"<>"', '"a,b"', '".."') },
  { weight: 1, arbitrary: fc.constantFrom('дом', 'é.è', '用户') },
)
const address = fc.tuple(local, domain).map((parts) => parts.join('@'))
const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}"`
const entry = fc.oneof(
  { weight: 3, arbitrary: address },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyLine, address)
      .map(([name, to]) => `${quoted(name.slice(0, 200))} <${to}>`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('Jo', "O'Neil", '=?UTF-8?Q?a?='), address)
      .map(([name, to]) => `${name} <${to}>`),
  },
)
/**
 * Texts that would add or replace a recipient, or become a command, if they were sent on unchanged.
 */
const hostile = fc.oneof(
  anyText.map((text) => text.slice(0, 300)),
  fc.constantFrom(
    `a@example.com, ${victim}`,
    `a@example.com; ${victim}`,
    `Friends: a@example.com, ${victim};`,
    `<@relay.example,@b.example:${victim}>`,
    `a@example.com\r\nRCPT TO:<${victim}>`,
    `a@example.com> NOTIFY=SUCCESS`,
    `a@example.com>\r\nRCPT TO:<${victim}`,
    `<a@example.com> <${victim}>`,
    `"a@example.com" ${victim}`,
    `a(${victim})@example.com`,
    `a@example.com\u0000${victim}`,
    `Jo\nBcc: ${victim} <a@example.com>`,
    `a@[127.0.0.1]`,
    `a@example.com\u2028Bcc: ${victim}`,
  ),
)
const someone = fc.oneof({ weight: 25, arbitrary: entry }, { weight: 1, arbitrary: hostile })
const someones = (minLength: number) =>
  fc.oneof(someone, fc.array(someone, { minLength, maxLength: 4 }))

const reservedNames = (
  'From To Cc Bcc BCC bcc Sender Reply-To Return-Path Date Message-ID message-id Subject MIME-Version Content-Type ' +
  'content-transfer-encoding Content-Disposition DKIM-Signature ARC-Seal ARC-Authentication-Results Received Received-SPF ' +
  'Authentication-Results List-Unsubscribe List-Unsubscribe-Post List-ID Feedback-ID Errors-To Resent-To Resent-Bcc Resent-From ' +
  'X-SES-CONFIGURATION-SET X-SES-MESSAGE-TAGS X-SMTPAPI x-smtpapi X-PM-Tag X-PM-Message-Stream X-Mailgun-Variables X-Mailgun-Tag ' +
  'X-MC-Tags X-MC-BccAddress X-MSYS-API X-SG-EID X-Postal-Tag'
).split(' ')
const reserved = new Set(reservedNames.map((name) => name.toLowerCase()))
const freeHeader = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom('X-One', 'X-Two', 'Comments', 'Precedence'), anyLine),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('In-Reply-To', 'References'),
      fc.constantFrom(
        '<a=?b@example.org>',
        ' <a@example.org>\t<b@example.org> ',
        `<a@example.org>\u00a0${'é'.repeat(900)}`,
      ),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.tuple(
      fc.constantFrom(...reservedNames),
      fc.constantFrom(`${smuggled} <${victim}>`, `${smuggled}\r\nX-Smuggled: 1`),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('X-One', 'X-Smuggled: 1\r\nX-A', 'X One', '', 'X-Ö', 'X'.repeat(77), 'X-Two'),
      fc.constantFrom(
        'plain',
        `x\r\nX-Smuggled: 1`,
        `x\nBcc: ${victim}`,
        'x\r',
        'x\u0000',
        'x\u0085X-Smuggled: 1',
        'y'.repeat(2000),
      ),
    ),
  },
)
const tag = fc.tuple(
  fc.constantFrom('order', 'X-Smuggled', 'Bcc', 'a b'),
  fc.constantFrom(smuggled, `${smuggled}\r\nBcc: ${victim}`),
)

const request = fc.record(
  {
    from: fc.oneof(
      { weight: 3, arbitrary: fc.constant(`hello@${workspace.domain}`) },
      {
        weight: 3,
        arbitrary: anyLine.map(
          (name) => `${quoted(name.slice(0, 200))} <hello@${workspace.domain}>`,
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(`"two words"@${workspace.domain}`, `é@${workspace.domain}`),
      },
    ),
    to: someones(1),
    cc: someones(0),
    bcc: someones(0),
    reply_to: someones(1),
    subject: fc
      .oneof({ weight: 8, arbitrary: anyLine }, { weight: 1, arbitrary: anyText })
      .map((text) => text.slice(0, 900)),
    headers: fc
      .uniqueArray(freeHeader, { selector: ([name]) => name, maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
    tags: fc.array(tag, { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    text: fc.constantFrom(
      'Bonjour',
      '.\r\n..\r\n.',
      'Bcc: nobody\r\n\r\n.',
      `.\nRCPT TO:<${victim}>\n.`,
    ),
    html: fc.constantFrom('<p>Bonjour</p>', '<p>é</p>\r\n.\r\nQUIT\r\n'),
  },
  { requiredKeys: ['from', 'to', 'subject', 'text'] },
)

interface Sent {
  mails: RefereeMail[]
  request: Record<string, unknown>
}
const sent: Sent[] = []
let refused = 0

test('any call: refused and nothing leaves, or one envelope for each recipient that was meant, from the sender, the same bytes in each', async () => {
  let known = 0
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body })
      if (answer.status !== 202) {
        assert.equal(answer.status, 422, JSON.stringify(answer.body))
        assert.equal(readReferee(dir).length, known)
        refused++
        return
      }
      const meant = [
        ...new Map(
          mailboxes(body.to, body.cc, body.bcc).map((mailbox) => [mailbox.key, mailbox.address]),
        ).values(),
      ]
      const mails = (await referees(known + meant.length)).slice(known)
      known += mails.length
      assert.deepEqual(
        mails.map((mail) => mail.to),
        mails.map((mail) => mail.to.slice(0, 1)),
        'one envelope, one recipient',
      )
      assert.deepEqual(mails.flatMap((mail) => mail.to).toSorted(), meant.toSorted())
      const [sender] = mailboxes(body.from)
      for (const mail of mails) {
        assert.equal(mail.from, sender?.address)
        assert.ok(mail.bytes.equals(mails[0]?.bytes ?? Buffer.alloc(0)))
      }
      sent.push({ mails, request: body })
    }),
    { numRuns: 150 },
  )
  assert.equal(readReferee(dir).length, known, 'nothing came later')
  assert.ok(sent.length > 30 && refused > 10, `${sent.length} sent, ${refused} refused`)
})

test("of each header that may be there once, there is one; no hidden copy shows; no caller's header passes for ours", async () => {
  for (const { mails, request: requests } of sent) {
    const [mail] = mails
    assert.ok(mail)
    const observed = await PostalMime.parse(mail.bytes, { maxHeadersSize: 10_000_000 })
    const names = observed.headers.map(({ key }) => key)
    assert.deepEqual(names.toSorted(), expectedNames(requests))
    const text = mail.bytes.toString('utf8')
    const head = text.slice(0, text.indexOf('\r\n\r\n'))
    assert.doesNotMatch(head, /^(x-smuggled|bcc)/im)
    assert.ok(!head.includes(smuggled))
    const shown = mailboxes(requests['to'], requests['cc'], requests['reply_to']).map(
      ({ address: value }) => value,
    )
    for (const { address: hidden } of mailboxes(requests['bcc'])) {
      // One that is the end of an address that may be seen (`a@example.com` of `aa@example.com`) is
      // found there.
      const isWithinAnother = shown.some((value) => value.includes(hidden))
      if (!isWithinAnother && hidden.length > 12)
        assert.ok(!head.includes(hidden), `${hidden} is hidden`)
    }
    assert.deepEqual(observed.bcc, undefined)
  }
})

test("Python's strict parser finds the same headers and no defect", (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('no python3 on the PATH')
  const ascii = sent.filter(({ mails }) => mails[0]?.bytes.every((octet) => octet < 128))
  const input = JSON.stringify(ascii.map(({ mails }) => mails[0]?.bytes.toString('base64')))
  const script = join(import.meta.dirname, '../../support/read-mails.py')
  const python = spawnSync('python3', [script], { input, maxBuffer: 1e9, encoding: 'utf8' })
  assert.equal(python.status, 0, python.stderr)
  const sightings: { names: string[]; defects: string[]; error?: string }[] = JSON.parse(
    python.stdout,
  )
  assert.equal(sightings.length, ascii.length)
  for (const [at, sighting] of sightings.entries()) {
    assert.equal(sighting.error, undefined)
    assert.deepEqual(sighting.defects, [])
    assert.deepEqual(
      sighting.names.map((name) => name.toLowerCase()).toSorted(),
      expectedNames(ascii[at]?.request ?? {}),
    )
  }
})

/** All mails of the referee, once there are so many. */
const referees = (count: number): Promise<RefereeMail[]> =>
  until(
    () => readReferee(dir),
    ({ length }) => length >= count,
  )

function mailboxes(...values: unknown[]): Mailbox[] {
  return values
    .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .flatMap((value) => {
      const read = typeof value === 'string' ? parseMailbox(value) : null
      return read === null || 'rule' in read ? [] : [read]
    })
}

/** Ours, each once, and of the caller's those that no rule reserves. */
function expectedNames(requests: Record<string, unknown>): string[] {
  const free = Object.keys(Object(requests['headers'])).map((name) => name.toLowerCase())
  return [
    'from',
    'to',
    ...(mailboxes(requests['cc']).length > 0 ? ['cc'] : []),
    ...(mailboxes(requests['reply_to']).length > 0 ? ['reply-to'] : []),
    'subject',
    'date',
    'message-id',
    'feedback-id',
    'mime-version',
    'content-type',
    ...(requests['html'] === undefined ? ['content-transfer-encoding'] : []),
    ...free.filter((name) => !reserved.has(name)),
  ].toSorted()
}
