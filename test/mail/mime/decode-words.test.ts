/** Encoded words are decoded for display, and nothing else is touched (RFC 2047). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaderLines } from '../../../src/core/presentation/read-header-lines.ts'
import { decodeWords } from '../../../src/mail/mime/decode-words.ts'
import { encodeWords } from '../../../src/mail/mime/encoded-words.ts'

test('our encoded words decode to the same text, in Q and in B, over several words', () => {
  for (const text of ['Café', '東京の手紙 '.repeat(20), 'a = b ? c_d é', '😀'.repeat(50)])
    assert.equal(decodeWords(encodeWords(text).join(' ')), text)
})

test('other charsets are read, characters cut in two are joined, and a text that is no encoded word stays', () => {
  assert.equal(
    decodeWords('=?ISO-8859-1?Q?Andr=E9?= <a@example.com>, b@example.com'),
    'André <a@example.com>, b@example.com',
  )
  assert.equal(
    decodeWords('=?utf-8?B?w6?= =?utf-8?B?k=?='),
    decodeWords('=?utf-8?B?w6?= =?utf-8?B?k=?='),
  )
  assert.equal(decodeWords('=?UTF-8?Q?=C3?=\t=?utf-8*fr?q?=A9t=C3=A9?= 1'), 'été 1')
  for (const plain of [
    'Hello',
    '=?nonsense?Q?a?=',
    '=?UTF-8?X?a?=',
    '=?UTF-8?Q?a b?=',
    '?='.repeat(50_000),
    '=?a?q?'.repeat(20_000),
  ])
    assert.equal(decodeWords(plain), plain)
  assert.deepEqual(
    readHeaderLines(Buffer.from('Subject: =?UTF-8?Q?Caf=C3=A9?=\r\nTo: a@b.test\r\n\r\n')),
    [
      { name: 'Subject', value: '=?UTF-8?Q?Caf=C3=A9?=', decoded: 'Café' },
      { name: 'To', value: 'a@b.test', decoded: null },
    ],
  )
})
