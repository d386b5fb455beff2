/** The encodings underneath: bodies, encoded words, parameters, content types. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseContentType } from '../../../src/mail/mime/content-type.ts'
import { encodeWords } from '../../../src/mail/mime/encoded-words.ts'
import { textHeader } from '../../../src/mail/mime/header-lines.ts'
import { parameterHeader, toAsciiName } from '../../../src/mail/mime/mime-parameters.ts'
import { encodeText, toBase64 } from '../../../src/mail/mime/transfer-encoding.ts'
import { anyText } from '../../support/arbitrary-message.ts'

const seventySix = 'x'.repeat(76)
const bodies: Array<[text: string, encoding: string, bytes: string]> = [
  ['', '7bit', ''],
  ['Hello\nworld\r\n\rend', '7bit', 'Hello\r\nworld\r\n\r\nend'],
  ['\ttab inside\tis fine', '7bit', '\ttab inside\tis fine'],
  [seventySix, '7bit', seventySix],
  [`${seventySix}y`, 'quoted-printable', `${'x'.repeat(75)}=\r\nxy`],
  ['blank \nend\t', 'quoted-printable', 'blank=20\r\nend=09'],
  [' \n', 'quoted-printable', '=20\r\n'],
  ['From me\nFrom you', 'quoted-printable', '=46rom me\r\n=46rom you'],
  ['From', '7bit', 'From'],
  ['a=_b', 'quoted-printable', 'a=3D_b'],
  ['a\u0000\u007f\u001b', 'quoted-printable', 'a=00=7F=1B'],
  ['déjà vu, encore', 'quoted-printable', 'd=C3=A9j=C3=A0 vu, encore'],
  [`${'x'.repeat(73)}é`, 'quoted-printable', `${'x'.repeat(73)}=\r\n=C3=A9`],
  [`${'x'.repeat(75)}From x`, 'quoted-printable', `${'x'.repeat(75)}=\r\n=46rom x`],
  ['Привет\n', 'base64', '0J/RgNC40LLQtdGCDQo='],
  ['\ud800 lone', 'quoted-printable', '=EF=BF=BD lone'],
]

for (const [text, encoding, bytes] of bodies) {
  test(`body ${JSON.stringify(text).slice(0, 40)}: ${encoding}`, () => {
    const body = encodeText(text)
    assert.deepEqual([body.encoding, body.bytes.toString('latin1')], [encoding, bytes])
  })
}

test('any body: 7-bit lines of at most 76, no blanks at their ends, no `=_`, no `From ` at their start', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const body = encodeText(text).bytes.toString('latin1')
      assert.equal(body.includes('=_'), false)
      for (const line of body.split('\r\n'))
        assert.match(line, /^(?!From )(?:[\t\x20-\x7e]{0,75}[\x21-\x7e])?$/)
    }),
    { numRuns: 2000 },
  )
})

test('base64 of every length: lines of 76, nothing lost', () => {
  for (let length = 0; length < 400; length++) {
    const content = Buffer.alloc(length, 'abc')
    const encoded = toBase64(content).toString('latin1')
    assert.equal(encoded, content.toString('base64').replace(/(.{76})(?=.)/g, '$1\r\n'))
  }
})

test('any text as encoded words: at most 75 characters each, each decodes alone, together they are the text', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.integer({ min: 32, max: 75 }),
      fc.integer({ min: 32, max: 75 }),
      (text, firstMax, max) => {
        const words = encodeWords(text, { firstMax, max })
        assert.ok(words.every((word, i) => word.length <= (i === 0 ? firstMax : max)))
        assert.equal(words.map(decodeWord).join(''), text)
      },
    ),
    { numRuns: 1000 },
  )
})

test('any text header: lines of at most 76 where words allow, each with something on it', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('Subject', `X-${'n'.repeat(74)}`), (value, name) => {
      const lines = textHeader(name, value).split('\r\n')
      assert.equal(lines.pop(), '')
      assert.ok(lines[0]?.startsWith(`${name}:`))
      for (const line of lines.slice(1)) assert.match(line, /^ [\x21-\x7e]/)
      for (const line of lines)
        assert.ok(
          line.length <= 76 ||
            !line
              .slice(name.length + 2)
              .trim()
              .includes(' ') ||
            line.startsWith(name),
        )
    }),
    { numRuns: 1000 },
  )
})

const names: Array<[filename: string, parameters: string[]]> = [
  ['a.pdf', ['filename=a.pdf']],
  ['two words.pdf', ['filename="two words.pdf"']],
  ['a"b.pdf', ["filename*=UTF-8''a%22b.pdf"]],
  ['a\\b.pdf', ["filename*=UTF-8''a%5Cb.pdf"]],
  ['=?utf-8?q?a?=', ["filename*=UTF-8''%3D%3Futf-8%3Fq%3Fa%3F%3D"]],
  ['a\r\nBcc: b@c.fr', ["filename*=UTF-8''a%0D%0ABcc%3A%20b%40c.fr"]],
  [
    `${'x'.repeat(90)}.pdf`,
    [`filename*0*=UTF-8''${'x'.repeat(48)};`, `filename*1*=${'x'.repeat(42)}.pdf`],
  ],
  [
    'été'.repeat(5),
    [
      "filename*0*=UTF-8''%C3%A9t%C3%A9%C3%A9t%C3%A9%C3%A9t%C3%A9%C3%A9t;",
      'filename*1*=%C3%A9%C3%A9t%C3%A9',
    ],
  ],
]

for (const [filename, parameters] of names) {
  test(`file name ${JSON.stringify(filename)}: ${parameters[0]}`, () => {
    const header = parameterHeader('Content-Disposition', 'attachment', [['filename', filename]])
    assert.equal(
      header.replace(/\r\n /g, ' '),
      `Content-Disposition: attachment; ${parameters.join(' ')}\r\n`,
    )
    assert.ok(header.split('\r\n').every((line) => line.length <= 76))
  })
}

test('the ASCII stand-in of a file name has its ending and drops what ASCII cannot say', () => {
  assert.equal(toAsciiName('Élève_été.pdf'), 'Eleve_ete.pdf')
  assert.equal(toAsciiName('日本.xlsx'), '__.xlsx')
  assert.equal(toAsciiName('a"b\\c\r\n.txt'), 'a_b_c__.txt')
  assert.equal(toAsciiName(`${'x'.repeat(100)}.docx`), `${'x'.repeat(51)}.docx`)
})

const types: Array<
  [given: string | null, filename: string | null, type: string, parameters: Array<[string, string]>]
> = [
  ['image/PNG', null, 'image/png', []],
  [
    'text/calendar; method=REQUEST;charset="utf-8"',
    null,
    'text/calendar',
    [
      ['method', 'REQUEST'],
      ['charset', 'utf-8'],
    ],
  ],
  ['text/plain; name="x"; boundary=y; charset=utf-8', null, 'text/plain', [['charset', 'utf-8']]],
  ['text/plain; charset', null, 'text/plain', []],
  ['text/plain;', null, 'text/plain', []],
  ['text/html\r\nBcc: a@b.fr', null, 'application/octet-stream', []],
  ['text/html; charset=x\r\nBcc: a@b.fr', null, 'application/octet-stream', []],
  ['html', 'a.pdf', 'application/pdf', []],
  [null, 'A.PDF', 'application/pdf', []],
  [null, 'pdf', 'application/octet-stream', []],
  [null, null, 'application/octet-stream', []],
  ['message/rfc822', 'a.eml', 'application/octet-stream', []],
  ['multipart/mixed; boundary=x', null, 'application/octet-stream', []],
  [`text/${'x'.repeat(500)}`, null, 'application/octet-stream', []],
]

for (const [declared, filename, type, parameters] of types) {
  test(`content type ${JSON.stringify(declared)?.slice(0, 50)} of ${filename}: ${type}`, () => {
    assert.deepEqual(chooseContentType(declared, filename), { type, parameters })
  })
}

function decodeWord(word: string): string {
  const [, encoding, content = ''] =
    /^=\?UTF-8\?([QB])\?([!->@-~]+)\?=$/.exec(word) ?? assert.fail(`not an encoded word: ${word}`)
  const bytes =
    encoding === 'B'
      ? Buffer.from(content, 'base64')
      : Buffer.from(
          content
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
          'latin1',
        )
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
