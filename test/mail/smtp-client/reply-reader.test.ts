/** Replies in any pieces, of any length, from anybody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ReplyReader } from '../../../src/mail/smtp-client/reply-reader.ts'

interface ObservedReply {
  code: number
  response: string
  enhanced: string | null
}

function readAll(chunks: Buffer[]): { replies: ObservedReply[]; garbage: string | null } {
  const reader = new ReplyReader()
  const known: ObservedReply[] = []
  for (const chunk of chunks) {
    // The memory of a chunk is the caller's again once all is read.
    const lent = Buffer.from(chunk)
    reader.push(lent)
    while (reader.next())
      known.push({ code: reader.code, response: reader.response(), enhanced: reader.enhanced() })
    lent.fill(0)
  }
  return { replies: known, garbage: reader.garbage }
}

function read(text: string): { replies: ObservedReply[]; garbage: string | null } {
  return readAll([Buffer.from(text)])
}

test('one line with an enhanced code', () => {
  assert.deepEqual(read('550 5.1.1 No such user\r\n').replies, [
    { code: 550, response: '550 5.1.1 No such user', enhanced: '5.1.1' },
  ])
})

test('several lines become one, the enhanced code at the front only', () => {
  const { replies: observed } = read(
    '550-5.7.26 This mail\r\n550-5.7.26 is not\r\n550 5.7.26 authenticated\r\n',
  )
  assert.deepEqual(observed, [
    { code: 550, response: '550 5.7.26 This mail is not authenticated', enhanced: '5.7.26' },
  ])
})

test('an enhanced code of another class than the reply is text', () => {
  assert.equal(read('250 5.1.1 odd\r\n').replies[0]?.enhanced, null)
  assert.equal(read('550 4.1.1 odd\r\n').replies[0]?.enhanced, null)
})

test('a code alone, with and without a space, and with a bare LF', () => {
  assert.deepEqual(
    read('250\r\n250 \r\n354\n').replies.map(({ response }) => response),
    ['250', '250', '354'],
  )
})

test('control characters in a reply become spaces', () => {
  assert.equal(read('550 a\u0000b\u001b[31mc\u0085d\r\n').replies[0]?.response, '550 a b [31mc d')
})

for (const garbage of [
  'HTTP/1.1 400 Bad Request\r\n',
  '\r\n',
  'abc\r\n',
  '999 what\r\n',
  '25\r\n',
  '2500 x\r\n',
  '250-a\r\n251 b\r\n',
  '-1 x\r\n',
]) {
  test(`garbage is reported as such: ${JSON.stringify(garbage)}`, () => {
    const { replies: observed, garbage: why } = read(garbage)
    assert.deepEqual(observed, [])
    assert.ok(why)
  })
}

test('an endless line and an endless reply end as garbage, not in memory', () => {
  assert.ok(readAll(Array.from({ length: 10 }, () => Buffer.alloc(1_000, '2'))).garbage)
  assert.ok(
    readAll(Array.from({ length: 100 }, () => Buffer.from(`250-${'x'.repeat(1_000)}\r\n`))).garbage,
  )
})

test('property: however the bytes are cut, the same replies come out', () => {
  const line = fc.string({
    unit: fc.constantFrom('a', ' ', '.', '5', 'é', '-', '<'),
    maxLength: 60,
  })
  const reply = fc.tuple(
    fc.constantFrom(220, 250, 354, 421, 450, 550, 554),
    fc.array(line, { minLength: 1, maxLength: 5 }),
  )
  fc.assert(
    fc.property(
      fc.array(reply, { maxLength: 8 }),
      fc.array(fc.nat(2_000), { maxLength: 20 }),
      (replies, cuts) => {
        const bytes = Buffer.from(
          replies
            .map(([code, lines]) =>
              lines
                .map((text, at) => `${code}${at === lines.length - 1 ? ' ' : '-'}${text}\r\n`)
                .join(''),
            )
            .join(''),
        )
        const places = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ]
        const pieces = readAll(places.slice(1).map((to, at) => bytes.subarray(places[at], to)))
        assert.deepEqual(pieces, readAll([bytes]))
        assert.deepEqual(
          pieces.replies.map(({ code }) => code),
          replies.map(([code]) => code),
        )
      },
    ),
  )
})

test('property: no bytes make the reader throw or wait with more than its limits in hand', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 }), (chunks) => {
      readAll(chunks.map((chunk) => Buffer.from(chunk)))
    }),
  )
})
