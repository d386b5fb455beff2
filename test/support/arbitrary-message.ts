/**
 * Messages for property tests: all that callers may write, and most of what they would write to
 * break a mail.
 */
import fc from 'fast-check'
import { parseMailbox, type Mailbox } from '../../src/ground/address.ts'
import type { Attachment, MessageToCompose } from '../../src/mail/mime/compose.ts'

/** Pieces that tempt a composer or a parser into something. */
const temptations = [
  '\r\nBcc: victim@example.net\r\n',
  '\nSubject: second',
  '\r\n\r\n',
  '=?UTF-8?Q?caf=C3=A9?=',
  '=?',
  '?=',
  '=_a-seed',
  '--=_m-seed\r\n',
  '--=_m-seed--',
  '.',
  '\r\n.\r\n',
  'From me',
  '\nFrom here',
  '  ',
  ' ',
  '\t',
  ' \r\n',
  '"',
  '\\',
  ',',
  '<a@b.example>',
  ';',
  "''",
  '%41',
  '=3D',
  'é',
  '😀',
  'дом',
  '\u0000',
  '\u0085',
  '\u2028',
  'x'.repeat(80),
  'y'.repeat(1100),
  'word '.repeat(30),
]

/** Any well-formed Unicode text: plain, wild, and made of temptations. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.oneof(fc.constantFrom(...temptations), fc.string()), { maxLength: 12 })
    .map((pieces) => pieces.join('')),
)

const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A line as the API admits it: no control characters. */
export const anyLine: fc.Arbitrary<string> = anyText.map((text) => text.replace(controls, ''))

const atom = fc.string({
  unit: fc.constantFrom(..."abcXYZ0189!#$%&*+-/=?^_`{|}~'".split('')),
  minLength: 1,
  maxLength: 20,
})
const atomLocal = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join('.'))
const asciiLocal = fc.oneof(
  atomLocal,
  fc
    .string({ unit: fc.constantFrom(...'ab .@()[]";:\\'.split('')), minLength: 1, maxLength: 15 })
    .map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
)
const utf8Local = fc.string({
  unit: fc.constantFrom('é', 'ß', '用', '户', 'a', 'Д', '😀'),
  minLength: 1,
  maxLength: 10,
})
const domain = fc.constantFrom(
  'example.com',
  'a-b.example.org',
  'exämple.de',
  '例え.jp',
  'mail.пример.рф',
  `${'l'.repeat(63)}.example`,
)

function mailboxWith(local: fc.Arbitrary<string>): fc.Arbitrary<Mailbox> {
  return fc.record({ name: fc.option(anyLine), local, domain }).map((pieces) => {
    const name = pieces.name === null ? '' : `"${pieces.name.replace(/["\\]/g, '\\$&')}" `
    const mailbox = parseMailbox(`${name}<${pieces.local}@${pieces.domain}>`)
    if ('rule' in mailbox)
      throw new Error(`the arbitrary made ${JSON.stringify(pieces)}: ${mailbox.rule}`)
    return mailbox
  })
}

export const asciiMailbox = mailboxWith(asciiLocal)
/** For postal-mime, which drops the quotes of a quoted local part. */
export const unquotedMailbox = mailboxWith(fc.oneof(atomLocal, utf8Local))
export const anyMailbox = mailboxWith(
  fc.oneof({ weight: 4, arbitrary: asciiLocal }, { weight: 1, arbitrary: utf8Local }),
)

const attachment: fc.Arbitrary<Attachment> = fc.record({
  // No ending that a type is guessed from: guessing has tests of its own.
  filename: fc.option(
    anyLine.filter((text) => text.length < 400 && !/\.[a-z0-9]{1,5}$/i.test(text)),
  ),
  contentType: fc.option(
    fc.constantFrom(
      'image/png',
      'application/x-ticket; method=REQUEST; charset="utf-8"',
      'message/rfc822',
      'multipart/mixed; boundary=x',
      'text/html\r\nBcc: victim@example.net',
      'nonsense',
      '',
    ),
  ),
  contentId: fc.option(
    fc.oneof(
      fc.constantFrom('logo', 'part1@example.com', 'a b', '<x>', 'é'),
      fc.stringMatching(/^[a-z0-9]{1,10}$/),
    ),
  ),
  content: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
})

const headerNames = fc.constantFrom('X-One', 'X-Entity-Ref-ID', 'Comments', `X-${'n'.repeat(74)}`)

/** Message ids, which no header encodes. */
const idsHeader = fc.tuple(
  fc.constantFrom('In-Reply-To', 'References'),
  fc
    .array(fc.stringMatching(/^<[a-z0-9.+_-]{1,40}(?:=\?)?[a-z0-9.]{1,20}@[a-z.]{1,40}>$/), {
      minLength: 1,
      maxLength: 9,
    })
    .map((ids) => ids.join(' ')),
)

interface Choice {
  line: fc.Arbitrary<string>
  mailbox: fc.Arbitrary<Mailbox>
}

/**
 * A message whose lines and mailboxes are drawn from the ones given; bodies are always any text.
 */
export function arbitraryMessage({ line, mailbox }: Choice): fc.Arbitrary<MessageToCompose> {
  return fc
    .record({
      messageId: fc.constant('0190-seed@example.com'),
      date: fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => new Date(seconds * 1000)),
      boundary: fc.constant('seed'),
      from: mailbox,
      to: fc.array(mailbox, { minLength: 1, maxLength: 5 }),
      cc: fc.array(mailbox, { maxLength: 2 }),
      replyTo: fc.array(mailbox, { maxLength: 2 }),
      subject: line,
      html: fc.option(anyText),
      text: fc.option(anyText),
      headers: fc.uniqueArray(
        fc.oneof({ weight: 3, arbitrary: fc.tuple(headerNames, line) }, idsHeader),
        {
          selector: ([name]) => name,
          maxLength: 4,
        },
      ),
      attachments: fc.array(attachment, { maxLength: 3 }),
    })
    .map((message) =>
      message.html === null && message.text === null ? { ...message, text: '' } : message,
    )
}
