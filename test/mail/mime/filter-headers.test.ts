/** Which of a caller's headers travel: every name of the list is tried, in several spellings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersMax, filterHeaders } from '../../../src/mail/mime/filter-headers.ts'

const dropped = [
  ...[
    'From',
    'To',
    'Cc',
    'Bcc',
    'Sender',
    'Reply-To',
    'Return-Path',
    'Date',
    'Message-ID',
    'Subject',
    'MIME-Version',
  ],
  ...[
    'Content-Type',
    'Content-Transfer-Encoding',
    'Content-Disposition',
    'Content-ID',
    'Content-Language',
    'Content-',
  ],
  ...[
    'DKIM-Signature',
    'DKIM-Anything',
    'ARC-Seal',
    'ARC-Message-Signature',
    'ARC-Authentication-Results',
  ],
  ...['Received', 'Received-SPF', 'Authentication-Results'],
  ...['Delivered-To', 'Envelope-To', 'Apparently-To'],
  ...[
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'List-Id',
    'List-Help',
    'Feedback-ID',
    'Errors-To',
  ],
  ...['Resent-From', 'Resent-To', 'Resent-Bcc', 'Resent-Message-ID'],
  ...[
    'X-SES-CONFIGURATION-SET',
    'X-SES-MESSAGE-TAGS',
    'X-SMTPAPI',
    'X-PM-Message-Stream',
    'X-Mailgun-Variables',
    'X-Mailgun-Recipient-Variables',
  ],
  ...['X-MC-Subaccount', 'X-MSYS-API', 'X-SG-EID', 'X-Postal-Tag'],
]

for (const name of dropped) {
  test(`${name}: dropped in silence, in any spelling and with any value`, () => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      assert.deepEqual(
        filterHeaders({ 'X-Before': '1', [spelling]: 'a\r\nBcc: b@c.example', 'X-After': '2' }),
        [
          ['X-Before', '1'],
          ['X-After', '2'],
        ],
      )
    }
  })
}

const stored = [
  'X-Entity-Ref-ID',
  'In-Reply-To',
  'References',
  'Importance',
  'X-Priority',
  'Auto-Submitted',
  'Precedence',
  'X-From',
  'To-Do',
  'X-SESSION',
  '__proto__',
]

for (const name of stored) {
  test(`${name}: passes unchanged`, () => {
    assert.deepEqual(filterHeaders(JSON.parse(JSON.stringify({ X: '' }).replace('X', name))), [
      [name, ''],
    ])
  })
}

for (const header of [
  '',
  'X Y',
  'X:Y',
  'Bcc ',
  ' Bcc',
  'Bcc:',
  'X\r\nBcc',
  'X-é',
  'X\u0000',
  'x'.repeat(77),
]) {
  test(`${JSON.stringify(header).slice(0, 20)} as a name: problem header_name`, () => {
    assert.deepEqual(filterHeaders({ [header]: 'v' }), { rule: 'header_name', header })
  })
}

for (const value of ['a\r\nBcc: b@c.example', 'a\nb', 'a\rb', 'a\u0000b', '\r\n']) {
  test(`${JSON.stringify(value)} as a value: problem header_value`, () => {
    assert.deepEqual(filterHeaders({ 'X-A': value }), { rule: 'header_value', header: 'X-A' })
  })
}

test('one name in two spellings: problem header_repeated', () => {
  assert.deepEqual(filterHeaders({ References: '<a@b>', references: '<c@d>' }), {
    rule: 'header_repeated',
    header: 'references',
  })
})

test('names and values of 32,768 octets in all pass; one more: problem headers_too_long; dropped ones do not count', () => {
  const full = {
    'X-A': 'é'.repeat((headersMax - 6) / 2),
    'X-B': '',
    'List-Id': 'x'.repeat(headersMax),
  }
  assert.equal(JSON.stringify(filterHeaders(full)).includes('rule'), false)
  assert.deepEqual(filterHeaders({ ...full, 'X-B': '1' }), {
    rule: 'headers_too_long',
    header: null,
  })
})
