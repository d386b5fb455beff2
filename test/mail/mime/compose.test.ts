/** Whole mails, byte for byte: what is sent is read here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMailbox, type Mailbox } from '../../../src/ground/address.ts'
import {
  composeMessage,
  type Attachment,
  type MessageToCompose,
} from '../../../src/mail/mime/compose.ts'

const message: MessageToCompose = {
  messageId: '0195-1@demo.test',
  date: new Date('2026-03-05T08:07:06Z'),
  boundary: 'seed',
  from: mailbox('Demo <hello@demo.test>'),
  to: [mailbox('a@example.com')],
  cc: [],
  replyTo: [],
  subject: 'Your parcel',
  html: null,
  text: null,
  headers: [],
  attachments: [],
}

const compose = (changes: Partial<MessageToCompose>): string =>
  composeMessage({ ...message, ...changes }).bytes.toString('latin1')

const file = (changes: Partial<Attachment>): Attachment => ({
  filename: null,
  contentType: null,
  contentId: null,
  content: Buffer.alloc(0),
  ...changes,
})

const lines = (...list: string[]): string => list.map((line) => `${line}\r\n`).join('')

function mailbox(text: string): Mailbox {
  const result = parseMailbox(text)
  return 'rule' in result ? assert.fail(`${text}: ${result.rule}`) : result
}

test('text only: one part, as it is', () => {
  assert.equal(
    compose({ text: 'Bonjour,\n\nVotre colis part demain.\n.\n' }),
    lines(
      'From: Demo <hello@demo.test>',
      'To: a@example.com',
      'Subject: Your parcel',
      'Date: Thu, 05 Mar 2026 08:07:06 +0000',
      'Message-ID: <0195-1@demo.test>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Bonjour,',
      '',
      'Votre colis part demain.',
      '.',
    ),
  )
})

test('html only: one part, no text invented; cc, reply-to, custom headers; names as atoms, quoted strings and encoded words', () => {
  assert.equal(
    compose({
      from: mailbox('Zoé <zoe@demo.test>'),
      to: [
        mailbox('"Dupont, Jean" <jean@example.com>'),
        mailbox('J.D. <jd@exämple.de>'),
        mailbox('"a \\"b\\"" <"a b"@example.com>'),
      ],
      cc: [mailbox('c@example.com')],
      replyTo: [mailbox('Support <help@demo.test>'), mailbox('x@demo.test')],
      subject: 'Reçu n° 12',
      html: '<p>Voilà\u00a0!</p>',
      headers: [
        ['X-Entity-Ref-ID', '123'],
        [
          'References',
          '<one@example.com> <two@example.com> <three@example.com> <four@example.com>',
        ],
        ['X-Empty', ''],
      ],
    }),
    lines(
      'From: =?UTF-8?Q?Zo=C3=A9?= <zoe@demo.test>',
      'To: "Dupont, Jean" <jean@example.com>, "J.D." <jd@xn--exmple-cua.de>,',
      ' "a \\"b\\"" <"a b"@example.com>',
      'Cc: c@example.com',
      'Reply-To: Support <help@demo.test>, x@demo.test',
      'Subject: =?UTF-8?B?UmXDp3UgbsKwIDEy?=',
      'Date: Thu, 05 Mar 2026 08:07:06 +0000',
      'Message-ID: <0195-1@demo.test>',
      'X-Entity-Ref-ID: 123',
      'References: <one@example.com> <two@example.com> <three@example.com>',
      ' <four@example.com>',
      'X-Empty: ',
      'MIME-Version: 1.0',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Voil=C3=A0=C2=A0!</p>',
    ),
  )
})

test('text, html, a picture inside it, two files: mixed ( alternative ( text, related ( html, picture ) ), files )', () => {
  const mail = compose({
    text: 'Hello',
    html: '<img src="cid:logo">',
    attachments: [
      file({ filename: 'facture.pdf', content: Buffer.from('one') }),
      file({ filename: 'logo.png', contentId: 'logo', content: Buffer.from('two') }),
      file({
        filename: 'Été à Paris.ics',
        contentType: 'text/calendar; method=REQUEST',
        content: Buffer.from('three'),
      }),
    ],
  })
  assert.equal(
    mail.slice(mail.indexOf('Content-Type')),
    lines(
      'Content-Type: multipart/mixed;',
      ' boundary="=_m-seed"',
      '',
      '--=_m-seed',
      'Content-Type: multipart/alternative;',
      ' boundary="=_a-seed"',
      '',
      '--=_a-seed',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hello',
      '--=_a-seed',
      'Content-Type: multipart/related; type="text/html";',
      ' boundary="=_r-seed"',
      '',
      '--=_r-seed',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      '<img src="cid:logo">',
      '--=_r-seed',
      'Content-Type: image/png; name=logo.png',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: inline; filename=logo.png',
      'Content-ID: <logo>',
      '',
      'dHdv',
      '--=_r-seed--',
      '',
      '--=_a-seed--',
      '',
      '--=_m-seed',
      'Content-Type: application/pdf; name=facture.pdf',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename=facture.pdf',
      '',
      'b25l',
      '--=_m-seed',
      'Content-Type: text/calendar; method=REQUEST; name="Ete a Paris.ics"',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment;',
      " filename*=UTF-8''%C3%89t%C3%A9%20%C3%A0%20Paris.ics",
      '',
      'dGhyZWU=',
      '--=_m-seed--',
    ),
  )
})

test('an address outside ASCII: UTF-8 in that header only, and the message says so', () => {
  const composed = composeMessage({ ...message, to: [mailbox('Zoé <zoé@exämple.de>')], text: 'é' })
  assert.equal(composed.utf8, true)
  assert.equal(
    composed.bytes.toString().split('\r\n')[1],
    'To: =?UTF-8?Q?Zo=C3=A9?= <zoé@xn--exmple-cua.de>',
  )
  assert.equal(composeMessage({ ...message, text: 'é' }).utf8, false)
})

test('a content id without html, or one that no link can name: an ordinary file', () => {
  for (const [html, contentId] of [
    [null, 'logo'],
    ['<p>', 'a b'],
    ['<p>', '<logo>'],
    ['<p>', 'é'],
  ] as const) {
    const mail = compose({
      html,
      text: html === null ? 'x' : null,
      attachments: [file({ contentId })],
    })
    assert.match(mail, /^Content-Type: multipart\/mixed;/m)
    assert.match(mail, /^Content-Disposition: attachment\r$/m)
  }
})

test('a word of 2,000 characters in a header: encoded, so that no line grows beyond 998', () => {
  const mail = compose({
    text: '',
    headers: [
      ['X-Token', 'a'.repeat(900)],
      ['X-Long', 'b'.repeat(2000)],
    ],
  })
  assert.match(mail, /^X-Token: a{900}\r$/m)
  assert.ok(mail.split('\r\n').every((line) => line.length <= 998))
  const words = [...mail.matchAll(/=\?UTF-8\?Q\?(b+)\?=/g)].map((match) => match[1])
  assert.equal(words.join(''), 'b'.repeat(2000))
})

test('message ids stay message ids, whatever stands between them', () => {
  const long = Array.from({ length: 20 }, (_, i) => `<${i}.=?utf-8?q?x?=@example.org>`)
  for (const [value, left] of [
    [long.join(''), long],
    [long.join('\u00a0\t '), long],
    [` <a@example.org>  (café) <${'b'.repeat(950)}@example.org> `, ['<a@example.org>']],
    ['café', []],
    ['', []],
  ] as const) {
    const mail = compose({ text: '', headers: [['references', value]] })
    const [, match = ''] = /^references: (.*(?:\r\n .*)*)\r$/m.exec(mail) ?? []
    assert.deepEqual(match.split(/\s+/).filter(Boolean), left)
    assert.ok(mail.split('\r\n').every((line) => line.length <= 76))
  }
})
