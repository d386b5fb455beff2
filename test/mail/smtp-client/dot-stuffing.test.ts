/** Content survives DATA unchanged, and cannot end it early. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stuffDots } from '../../../src/mail/smtp-client/dot-stuffing.ts'

/** The rule in its plainest form. */
function plainly(text: string): string {
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line.startsWith('.') ? '.' : ''}${line}\r\n`).join('')
}

const cases: [string, string, string][] = [
  ['a dot at the very start', '.a\r\n', '..a\r\n'],
  ['a lone dot', 'a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
  ['a dot after a bare LF', 'a\n.\nb\r\n', 'a\r\n..\r\nb\r\n'],
  ['a dot after a bare CR', 'a\r.\rb\r\n', 'a\r\n..\r\nb\r\n'],
  [
    "LF . CRLF, the smuggler's end",
    'a\n.\r\nMAIL FROM:<x@y>\r\n',
    'a\r\n..\r\nMAIL FROM:<x@y>\r\n',
  ],
  ['CR CR LF', 'a\r\r\nb\r\n', 'a\r\n\r\nb\r\n'],
  ['no line end at the end', 'a', 'a\r\n'],
  ['a CR at the end', 'a\r', 'a\r\n'],
  ['nothing', '', ''],
]

for (const [title, body, expected] of cases) {
  test(title, () => assert.equal(stuffDots(Buffer.from(body)).toString(), expected))
}

test('bytes that need no dot are not copied', () => {
  const bytes = Buffer.from('Subject: x\r\n\r\na.b\r\n')
  assert.equal(stuffDots(bytes), bytes)
})

test('property: as the plain rule says, also over the borders of slices', () => {
  const piece = fc.constantFrom('\r', '\n', '.', '\r\n', '\r\n.', 'a', 'é', 'x'.repeat(65_533))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(stuffDots(Buffer.from(text)).toString(), plainly(text))
    }),
    { numRuns: 300 },
  )
})
