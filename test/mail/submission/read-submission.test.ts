/** What is found in mails that programs compose: texts, files and headers, and what is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { composeMessage } from '../../../src/mail/mime/compose.ts'
import { readSubmission, type SubmittedMail } from '../../../src/mail/submission/read-submission.ts'
import { assertLinear } from '../../support/linear.ts'

const bytes = (...lines: (string | Buffer)[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]))
const head = ['From: Shop <hello@shop.test>', 'To: you@example.com', 'Subject: Hello']
const read = (...lines: (string | Buffer)[]): SubmittedMail =>
  readSubmission(bytes(...head, ...lines))
const shown = ({ text, html, files }: SubmittedMail) => ({
  text: text?.trimEnd() ?? null,
  html: html?.trimEnd() ?? null,
  files: files.map(({ filename, contentType, contentId, content, isAlternative }) => ({
    ...{ filename, contentType, contentId, isAlternative },
    content: Buffer.from(content).toString().trimEnd(),
  })),
})
const file = (fields: object) => ({
  filename: null,
  contentId: null,
  isAlternative: false,
  ...fields,
})
const part = (headers: string[], ...body: string[]): string[] => [...headers, '', ...body]
/** A multipart of these parts, to stand in another one or in a mail. */
function multipart(subtype: string, ...parts: string[][]): string[] {
  const boundary = `${subtype}-${parts.length}-${parts.flat().length}`
  return part(
    [`Content-Type: multipart/${subtype}; boundary="${boundary}"`],
    ...parts.flatMap((item) => [`--${boundary}`, ...item]),
    `--${boundary}--`,
  )
}
const text = part(['Content-Type: text/plain; charset=utf-8'], 'Text')
const html = part(['Content-Type: text/html'], '<p>HTML <img src="cid:logo"></p>')
const logo = part(
  ['Content-Type: image/png', 'Content-ID: <logo>', 'Content-Transfer-Encoding: base64'],
  'UE5H',
)
const pdf = part(
  [
    'Content-Type: application/pdf; name="fallback.pdf"',
    "Content-Disposition: attachment; filename*0*=UTF-8''fac%C3%A9; filename*1=ture.pdf",
    'Content-ID: <unused@outlook>',
    'Content-Transfer-Encoding: base64',
  ],
  'UERG',
)
const calendar = part(
  ['Content-Type: text/calendar; charset=utf-8; method=REQUEST'],
  'BEGIN:VCALENDAR',
)

test('nested multiparts: text, HTML, its picture, a calendar and a file', () => {
  const mail = read(
    ...multipart(
      'mixed',
      multipart('alternative', text, multipart('related', html, logo), calendar),
      pdf,
    ),
  )
  assert.deepEqual(shown(mail), {
    text: 'Text',
    html: '<p>HTML <img src="cid:logo"></p>',
    files: [
      file({ contentType: 'image/png', contentId: 'logo', content: 'PNG' }),
      file({
        ...{ contentType: 'text/calendar; charset="utf-8"; method="REQUEST"', isAlternative: true },
        content: 'BEGIN:VCALENDAR',
      }),
      file({ contentType: 'application/pdf', filename: 'facéture.pdf', content: 'PDF' }),
    ],
  })
})

test('the forms of a text leave beside it, the calendar with its method', async () => {
  const { text: plain, html: page, files } = read(...multipart('alternative', text, calendar, html))
  const { bytes: composed } = composeMessage({
    ...{ messageId: 'a@b', date: new Date(0), boundary: 'b', subject: 'Hello' },
    ...{ from: { name: null, address: 'a@b.test' }, to: [], cc: [], replyTo: [], headers: [] },
    ...{ text: plain, html: page },
    attachments: files.map(({ content, ...rest }) => ({ ...rest, content: Buffer.from(content) })),
    written: { to: null, cc: null, alternatives: [0] },
  })
  const types = composed.toString().match(/^Content-Type: [^;\r]+/gm)
  assert.deepEqual(types, [
    'Content-Type: multipart/alternative',
    'Content-Type: text/plain',
    'Content-Type: text/html',
    'Content-Type: text/calendar',
  ])
  const { attachments } = await PostalMime.parse(composed)
  assert.equal(attachments[0]?.method, 'REQUEST')
})

test('a second text is a file of its own, and no other form of the first', () => {
  const footer = part(['Content-Type: text/plain'], 'Footer')
  assert.deepEqual(shown(read(...multipart('mixed', html, footer))), {
    text: null,
    html: '<p>HTML <img src="cid:logo"></p>',
    files: [file({ contentType: 'text/plain', content: 'Footer' })],
  })
  const other = multipart('alternative', footer, html)
  assert.equal(read(...multipart('mixed', text, other)).files.length, 2)
})

test('a mail without any text has an empty one beside its file', () => {
  assert.deepEqual(shown(read(...pdf)), {
    ...{ text: '', html: null },
    files: [file({ contentType: 'application/pdf', filename: 'facéture.pdf', content: 'PDF' })],
  })
})

test('a mail in a mail is a file as it is', () => {
  const forwarded = ['Content-Type: message/rfc822', '', 'Subject: Inner', '', 'Body']
  const [result] = shown(read(...multipart('mixed', text, forwarded))).files
  assert.equal(result?.filename, 'message.eml')
  assert.equal(result?.content, 'Subject: Inner\r\n\r\nBody')
})

const latin = Buffer.from('caf\xe9 \x80', 'latin1')
const charsets: [string, Buffer | string, string][] = [
  ['iso-8859-1', latin, 'café €'],
  ['us-ascii', Buffer.from('café'), 'café'],
  ['us-ascii', latin, 'café €'],
  ['made-up', Buffer.from('café'), 'café'],
  ['iso-2022-jp', Buffer.from('\x1b$B$3$s\x1b(B', 'latin1'), 'こん'],
  ['utf-16le', Buffer.from('café\r\n', 'utf16le').subarray(0, -4), 'café'],
]
for (const [charset, written, expected] of charsets)
  test(`a text in ${charset} is read as ${expected}`, () =>
    assert.equal(
      readSubmission(
        Buffer.concat([
          bytes(...head, `Content-Type: text/plain; charset=${charset}`, ''),
          Buffer.from(written),
        ]),
      ).text,
      expected,
    ))

test('headers: encoded words in any charset, folds, repeated names, UTF-8 as it is', () => {
  const mail = readSubmission(
    bytes(
      'From: =?iso-8859-1?Q?Caf=E9?= (ours) <hello@shop.test>',
      'To: a@example.com,',
      '\tTeam: b@example.com, Not An Address;',
      'Cc: José <c@example.com>',
      'Subject: =?utf-8?B?w4l0w6k=?=',
      ' =?utf-8?B?IQ==?=',
      'Reply-To: help@shop.test, "Two, T." <two@shop.test>',
      'X-One: first',
      'x-one: second',
      'Date: Friday at noon',
      'Message-ID: not one',
      '',
      'Hello',
    ),
  )
  assert.deepEqual(mail.from.name, 'Café')
  assert.equal(mail.to.text, 'a@example.com, Team: b@example.com, Not An Address;')
  assert.deepEqual(
    mail.to.mailboxes.map(({ key }) => key),
    ['a@example.com', 'b@example.com'],
  )
  assert.deepEqual([mail.cc.text, mail.cc.mailboxes[0]?.name], [null, 'José'])
  assert.equal(mail.subject, 'Été!')
  assert.deepEqual(
    mail.replyTo.map(({ name }) => name),
    [null, 'Two, T.'],
  )
  assert.deepEqual(mail.headers, [
    ['X-One', 'first'],
    ['x-one', 'second'],
  ])
  assert.deepEqual([mail.date, mail.messageId], [null, null])
  assert.deepEqual(mail.dropped, ['Message-ID', 'Date'])
})

test('a name that REST would not take is left out, and two spaces are one', () => {
  const mail = readSubmission(
    bytes(`From: ${'n'.repeat(320)} <hello@shop.test>`, 'To: You  <you@example.com>', '', 'x'),
  )
  assert.equal(mail.from.name, null)
  assert.equal(mail.to.text, 'You <you@example.com>')
})

test('an encoded name leaves as it was written, beside its address', () => {
  const value = '=?utf-8?Q?In=C3=A8s?= <ines@shop.test>'
  const { headers } = read(`Disposition-Notification-To: ${value}`, '', 'x')
  const { bytes: composed } = composeMessage({
    ...{ messageId: 'a@b', date: new Date(0), boundary: 'b', subject: '', attachments: [] },
    ...{ from: { name: null, address: 'a@b.test' }, to: [], cc: [], replyTo: [], headers },
    ...{ text: 'x', html: null, written: { to: null, cc: null, alternatives: [] } },
  })
  assert.match(composed.toString(), /^Disposition-Notification-To: =\?utf-8\?Q\?In=C3=A8s\?=/m)
  assert.ok(composed.includes(' <ines@shop.test>\r\n'))
})

test('an invitation alone is a form of the text, and no file', () => {
  const [result] = read(...calendar).files
  assert.equal(result?.isAlternative, true)
})

test('paragraphs of format=flowed are whole again (RFC 3676)', () => {
  const flowed = (parameters: string, ...lines: string[]): string | null =>
    read(`Content-Type: text/plain; format=flowed${parameters}`, '', ...lines).text
  assert.equal(
    flowed('', 'One ', 'line', ' >stuffed', '> quoted ', '> text', '>> deeper', 'So ', '-- ', 'Me'),
    'One line\r\n>stuffed\r\n> quoted text\r\n>> deeper\r\nSo \r\n-- \r\nMe\r\n',
  )
  assert.equal(flowed('; delsp=yes', 'こん ', 'にちは'), 'こんにちは\r\n')
})

const ofBytes = (length: number): string[] =>
  part(['Content-Type: application/octet-stream'], 'x'.repeat(length))

const refused: [string, string[]][] = [
  ['malformed', ['Reply-To: nobody', '', 'x']],
  ['malformed', ['Content-Type: multipart/mixed', '', 'x']],
  [
    'malformed',
    Array.from({ length: 22 }).reduce<string[]>((inner) => multipart('mixed', inner), text),
  ],
  ['malformed', multipart('mixed', ...Array.from({ length: 501 }, () => text))],
  // 604 in all, none of which holds more than 200.
  [
    'malformed',
    multipart(
      'mixed',
      ...Array.from({ length: 3 }, () =>
        multipart('mixed', ...Array.from({ length: 200 }, () => text)),
      ),
    ),
  ],
  ['malformed', [`X-Facteur-Idempotency-Key: ${'k'.repeat(201)}`, '', 'x']],
  ['too_large', multipart('mixed', ...Array.from({ length: 102 }, () => pdf))],
  ['too_large', multipart('mixed', ...Array.from({ length: 2 }, () => ofBytes(11_000_000)))],
  ['too_large', [`X-Long: ${'x'.repeat(32_768)}`, '', 'x']],
  ['not_supported', multipart('mixed', multipart('signed', text, pdf))],
  ['not_supported', part(['Content-Type: application/x-pkcs7-mime; smime-type=signed-data'], 'x')],
  ['malformed', ['Content-Type: multipart/mixed; boundary=never', '', 'Hello']],
  [
    'malformed',
    [`Reply-To: ${Array.from({ length: 11 }, (_, n) => `r${n}@shop.test`).join(', ')}`, '', 'x'],
  ],
]
for (const [kind, lines] of refused)
  test(`${kind}: ${lines[0]?.slice(0, 40)} with ${lines.length} lines`, () =>
    assert.throws(() => read(...lines), { name: 'Unacceptable', kind }))

test('hostile mails take time that grows with their length alone', () => {
  const sizes: ((n: number) => string[])[] = [
    (n) => [`To: ${'('.repeat(n)}`, '', 'x'],
    (n) => [`Content-Type: text/plain${'; a='.repeat(n / 4)}`, '', 'x'],
    (n) => [`Content-Type: text/plain; name="${'\\'.repeat(n)}`, '', 'x'],
    (n) => [
      'Content-Type: multipart/mixed; boundary=a',
      '',
      ...Array.from({ length: n / 8 }, () => '--a '),
    ],
    (n) => [`Subject: ${'=?utf-8?Q?'.repeat(n / 10)}`, '', 'x'],
  ]
  for (const lines of sizes)
    assertLinear(lines(40)[0] ?? '', 20_000, (length) => {
      try {
        read(...lines(length))
      } catch {
        // A refusal is as good.
      }
    })
})
