/** Reading of returned mails: notices of real servers, their oddities, and any bytes at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readFeedbackReport } from '../../../src/mail/reports/arf.ts'
import { bounceClassOf } from '../../../src/mail/reports/classify-bounce.ts'
import { readDeliveryStatus } from '../../../src/mail/reports/dsn.ts'
import { readReturnedMail } from '../../../src/mail/reports/read-returned-mail.ts'
import {
  introductions,
  noticeReasons,
  noticeSubjects,
  returnedMailBegins,
  signedIntroductions,
} from '../../../src/mail/reports/notice-sentences.ts'
import { assertLinear } from '../../support/linear.ts'
import { readTextBounce } from '../../../src/mail/reports/text-bounce.ts'

const head =
  'Reporting-MTA: dns; mx.example.test\nArrival-Date: Sat, 21 Nov 2026 08:00:00 +0000\n\n'

for (const [name, fields, expected] of [
  [
    'Postfix',
    'Final-Recipient: rfc822; a@b.test\nOriginal-Recipient: rfc822;a@b.test\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.b.test\nDiagnostic-Code: smtp; 550 5.1.1 <a@b.test>: Recipient address rejected: User\n    unknown in virtual mailbox table',
    {
      action: 'failed',
      code: '5.1.1',
      detail:
        '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table',
    },
  ],
  [
    'Exim',
    'Action: failed\nFinal-Recipient: rfc822;a@b.test\nStatus: 5.0.0\nRemote-MTA: dns; mx.b.test\nDiagnostic-Code: smtp; 550 No such user here',
    { action: 'failed', code: '5.0.0', detail: '550 No such user here' },
  ],
  [
    'Exchange',
    'Final-recipient: RFC822; a@b.test\nAction: failed\nStatus: 5.1.10\nDiagnostic-code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    {
      action: 'failed',
      code: '5.1.10',
      detail:
        '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    },
  ],
  [
    'a class alone, and the server that knew more',
    'Action: failed\nStatus: 5.0.0 (undefined status)\nDiagnostic-Code: smtp; 550-5.2.1 The account is disabled',
    { action: 'failed', code: '5.2.1', detail: '550-5.2.1 The account is disabled' },
  ],
  [
    'no diagnosis',
    'Action: failed\nStatus: 5.4.4',
    { action: 'failed', code: '5.4.4', detail: '5.4.4' },
  ],
  [
    'no status',
    'Action: failed\nDiagnostic-Code: X-Notes; Not listed',
    { action: 'failed', code: null, detail: 'Not listed' },
  ],
  [
    'given up after days',
    'Action: failed\nStatus: 4.4.1\nDiagnostic-Code: smtp; connect timed out',
    { action: 'failed', code: '4.4.1', detail: 'connect timed out' },
  ],
  [
    'sendmail, still trying',
    'Action: delayed\nStatus: 4.2.0\nWill-Retry-Until: Thu, 26 Nov 2026 08:00:00 GMT',
    { action: 'delayed', code: '4.2.0', detail: '4.2.0' },
  ],
  [
    'an address of figures is no code',
    'Action: failed\nStatus: none\nDiagnostic-Code: smtp; 550 host 10.5.1.1 said no',
    { action: 'failed', code: null, detail: '550 host 10.5.1.1 said no' },
  ],
] as const) {
  test(`a delivery status of ${name}`, () => {
    assert.deepEqual(readDeliveryStatus(head + fields), expected)
    assert.deepEqual(readDeliveryStatus((head + fields).replaceAll('\n', '\r\n')), expected)
  })
}

test('no action that we know: no status', () => {
  for (const text of ['', head, 'Status: 5.1.1', 'Action: eaten\nStatus: 5.1.1', 'Action failed'])
    assert.equal(readDeliveryStatus(text), null)
})

test('a success for one of several decides; the first group names no recipient', () => {
  const failed = 'Action: failed\nStatus: 5.1.1\n\n'
  assert.equal(
    readDeliveryStatus(`${head}${failed}Action: relayed\nStatus: 2.0.0`)?.action,
    'relayed',
  )
  assert.equal(
    readDeliveryStatus(`${head}${failed}Action: delayed\nStatus: 4.0.0`)?.action,
    'delayed',
  )
  assert.equal(readDeliveryStatus(`${head}${failed}Action: failed\nStatus: 5.7.1`)?.code, '5.7.1')
})

test('one mail for two addresses, one of them dead: what it says of the other decides', () => {
  const group = (diagnostic: string): string =>
    `Action: failed\nStatus: 5.2.1\nDiagnostic-Code: smtp; 550 5.2.1 ${diagnostic}\n\n`
  const status = readDeliveryStatus(`${head}${group('User unknown')}${group('Disabled')}`)
  assert.equal(status?.detail, '550 5.2.1 Disabled')
})

test('an action in the words of servers beside the five of RFC 3464', () => {
  for (const action of ['failure', 'error', 'Failed'])
    assert.equal(readDeliveryStatus(`${head}Action: ${action}\nStatus: 5.1.1`)?.action, 'failed')
})

test('feedback reports: only abuse and fraud are complaints', () => {
  const meaning = (type: string): unknown =>
    readFeedbackReport(`Version: 1\r\nFeedback-Type: ${type}\r\n`)?.meaning
  assert.deepEqual(
    [
      'abuse',
      'Abuse',
      'fraud',
      'opt-out',
      'not-spam',
      'virus',
      'other',
      'auth-failure',
      'dmarc',
      'x',
    ].map(meaning),
    [
      ...['complaint', 'complaint', 'complaint', 'opt-out'],
      ...Array.from({ length: 6 }, () => 'other'),
    ],
  )
  assert.equal(readFeedbackReport('Version: 1'), null)
})

const plain = (headers: string, text: string) =>
  readReturnedMail(Buffer.from(`${headers}\r\n\r\n${text.replaceAll('\n', '\r\n')}`))

test('a warning is a delay, also in words', async () => {
  assert.partialDeepStrictEqual(
    await plain(
      'From: MAILER-DAEMON@mx.test\r\nSubject: Warning: could not send message for past 4 hours',
      'This is the mail system at host mx.test.\n\n450 4.2.0 Greylisted\n\nIt will be retried.',
    ),
    { kind: 'status', action: 'delayed', code: '4.2.0' },
  )
  assert.partialDeepStrictEqual(
    await plain(
      'From: mailer-daemon@googlemail.com\r\nSubject: Delivery Status Notification (Delay)',
      'There was a temporary problem delivering your message to a@b.test. Gmail will retry for 46 more hours.',
    ),
    { kind: 'status', action: 'delayed' },
  )
})

test('Exchange writes as an address of its own', async () => {
  assert.partialDeepStrictEqual(
    await plain(
      'From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@b.test>\r\nSubject: Undeliverable: News',
      "Your message to a@b.test couldn't be delivered.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient a@b.test not found",
    ),
    { kind: 'status', action: 'failed', code: '5.1.10' },
  )
})

test('the text of the returned mail is not read as the server’s', async () => {
  assert.partialDeepStrictEqual(
    await plain(
      'From: MAILER-DAEMON@q.test\r\nSubject: failure notice',
      'Hi. This is the qmail-send program at q.test.\n\n<a@b.test>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n\n552 5.7.1 spam',
    ),
    {
      kind: 'status',
      action: 'failed',
      code: null,
      detail: 'Sorry, no mailbox here by that name. (#5.1.1)',
    },
  )
})

for (const [name, text, expected] of [
  [
    'Exim, of an address that it does not know',
    'The following address(es) failed:\n\n  nobody@b.test\n    Unrouteable address\n',
    { code: '5.0.0', detail: 'Unrouteable address' },
  ],
  [
    'OpenSMTPD, of what the next host said',
    'An error has occurred:\n\nnobody@b.test: 550 5.1.1 <nobody@b.test>: User unknown\n\n    Below is a copy of the original message:\n',
    { code: '5.1.1', detail: '550 5.1.1 <nobody@b.test>: User unknown' },
  ],
  [
    'OpenSMTPD, of itself',
    'nobody@b.test: Loop detected\n\n',
    { code: '5.0.0', detail: 'Loop detected' },
  ],
  ['nobody, who says nothing', 'Sorry.\n', { code: '5.0.0', detail: '5.0.0' }],
] as const) {
  test(`a status that only says that it failed: the text part says why (${name})`, async () => {
    const parts = [
      `Content-Type: text/plain\n\n${text}`,
      `Content-Type: message/delivery-status\n\n${head}Action: failed\nStatus: 5.0.0\n`,
    ]
    const body = `${parts.map((part) => `--b\n${part}`).join('\n')}\n--b--\n`
    assert.deepEqual(await plain('Content-Type: multipart/report; boundary=b', body), {
      ...{ kind: 'status', action: 'failed' },
      ...expected,
    })
    const reported = body.replace(
      'Status: 5.0.0',
      'Status: 5.0.0\nDiagnostic-Code: smtp; 552 Too big',
    )
    assert.partialDeepStrictEqual(
      await plain('Content-Type: multipart/report; boundary=b', reported),
      {
        detail: '552 Too big',
      },
    )
  })
}

for (const [name, headers, text, kind] of [
  [
    'out of office',
    'From: a@b.test\r\nAuto-Submitted: auto-replied\r\nSubject: undeliverable',
    'Your message could not be delivered to me on the beach.',
    'automatic',
  ],
  ['an older one', 'From: a@b.test\r\nPrecedence: auto_reply', 'Back on Monday', 'automatic'],
  ['a person', 'From: a@b.test\r\nSubject: Re: failure notice', '550 thanks', 'other'],
  [
    'a person who quotes a bounce',
    'From: a@b.test\r\nSubject: Re: Undelivered mail',
    'I got this from you:\n> Your message could not be delivered.\n550 5.1.1 user unknown',
    'other',
  ],
  [
    'somebody away',
    'From: a@b.test\r\nSubject: Absence',
    'Your message was not delivered to anybody: no such user here.',
    'other',
  ],
] as const) {
  test(`${name}: ${kind}`, async () => assert.deepEqual(await plain(headers, text), { kind }))
}

test('a notice of a mail system that is not understood is shown as it begins; a program of a person answers as before', async () => {
  const text = 'Votre courrier repose en paix.\n'
  assert.deepEqual(await plain('From: MAILER-DAEMON@mx.test\r\nSubject: Bonjour', text), {
    kind: 'unread',
    detail: text.trim(),
  })
  assert.deepEqual(
    await plain('From: a@b.test\r\nSubject: Bonjour\r\nAuto-Submitted: auto-replied', text),
    { kind: 'automatic' },
  )
})

test('a delay in Spanish is no failure', async () => {
  const text = 'Se retrasó la entrega a estos destinatarios o grupos:\n\na@b.test (a@b.test)\n'
  const before =
    'From: postmaster@mx.test\r\nContent-Type: text/plain; charset=utf-8\r\nSubject: Retraso en la entrega'
  assert.partialDeepStrictEqual(await plain(before, text), { kind: 'status', action: 'delayed' })
})

for (const [language, subject, text] of [
  ['French', 'Non remis : Lettre', 'Échec de la remise pour ces destinataires ou groupes :'],
  ['German', 'Unzustellbar: Brief', 'Ihre Nachricht an a@b.test konnte nicht zugestellt werden.'],
  [
    'German, of older servers',
    'Unzustellbar: Brief',
    'Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen:',
  ],
  ['Spanish', 'No se puede entregar: Carta', 'No se pudo entregar a estos destinatarios o grupos:'],
  [
    'Portuguese',
    'Não é possível entregar: Carta',
    'Falha na entrega a estes destinatários ou grupos:',
  ],
  [
    'Portuguese, of older servers',
    'Não entregue: Carta',
    'Falha na entrega aos seguintes destinatários ou grupos:',
  ],
  ['Italian', 'Non recapitabile: Lettera', null],
  [
    'Dutch',
    'Onbestelbaar: Brief',
    'Uw bericht kan niet worden bezorgd bij de volgende geadresseerden of groepen:',
  ],
  ['Japanese', '配信不能 : 手紙', '以下の受信者にメールを配信できません :'],
] as const) {
  test(`a notice in ${language}: by its subject, by a sentence that its server writes, and by the reply that it quotes`, async () => {
    const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
    const notice =
      'From: postmaster@mx.test\r\nContent-Type: text/plain; charset=utf-8\r\nAuto-Submitted: auto-replied\r\nSubject: '
    const notices: [string, string][] = [
      [encoded, 'a@b.test: 550 No such user'],
      ['?', 'a@b.test: 550 5.1.1 ?'],
      ...(text === null
        ? []
        : [['?', `${text}\n\na@b.test: 550 No such user`] as [string, string]]),
    ]
    for (const [field, body] of notices)
      assert.partialDeepStrictEqual(await plain(`${notice}${field}`, body), {
        kind: 'status',
        action: 'failed',
      })
  })
}

test('an address that is dead, told by the program that knew it: its sentence decides, not the reply of the one that asked', async () => {
  const from = 'From: MAILER-DAEMON@mx.test\r\nSubject: '
  for (const [subject, text, detail] of [
    [
      'Mail delivery failed',
      'There was an error delivering your mail to <a@b.test>.\n\nDNS lookup failure: host b.test not found',
      null,
    ],
    [
      'Returned mail: Service unavailable',
      '----- Transcript of session follows -----\nmail.local: unknown user: a\n554 <a@b.test>... Service unavailable',
      'mail.local: unknown user: a',
    ],
    ['Undelivered Mail', '<a@b.test>: unknown user: "a"', null],
  ] as const) {
    const read = await plain(`${from}${subject}`, text)
    assert.equal(
      read.kind === 'status' && bounceClassOf(read.code, read.detail ?? ''),
      'hard',
      text,
    )
    if (detail !== null) assert.partialDeepStrictEqual(read, { detail })
  }
  for (const text of [
    'DNS lookup failure: host b.test: no answer',
    'mail.local: unknown user: a\n450 4.2.0 <a@b.test>: later',
    'Your friend has an unknown user: you',
  ]) {
    const read = await plain(`${from}Mail delivery failed`, text)
    assert.notEqual(
      read.kind === 'status' && bounceClassOf(read.code, read.detail ?? ''),
      'hard',
      text,
    )
  }
})

/** Each from a mail system, with a subject that says no reason. */
const notices: [name: string, text: string, is: string, detail: string][] = [
  [
    'Yahoo, with a colon',
    '<a@b.test>:\n550: 5.1.1 <a@b.test>... User Unknown',
    'hard',
    '550: 5.1.1 <a@b.test>... User Unknown',
  ],
  ['Yahoo, with a colon, for now', '<a@b.test>:\n450: User unknown', 'soft', '450: User unknown'],
  [
    'Yahoo, of itself',
    "<a@b.test>:\nThis user doesn't have a b.test account (a@b.test) [0]",
    'hard',
    "This user doesn't have a b.test account (a@b.test) [0]",
  ],
  [
    'GroupWise',
    'Undeliverable to the following:\n\n\ta@b.test (user not found)',
    'hard',
    '(user not found)',
  ],
  ['MDaemon', 'a@b.test - no such user here.', 'hard', 'no such user here.'],
  [
    'X1',
    'from c@shop.example\n\n---The following addresses---\n\na@b.test [User unknown]',
    'hard',
    '[User unknown]',
  ],
  [
    'IMail',
    'Unknown user: a@b.test\n\nOriginal message follows.',
    'hard',
    'Unknown user: a@b.test',
  ],
  [
    'Notes',
    'Failure Reasons\n\nUser  not listed in public Name & Address Book\na@b.test\n',
    'hard',
    'User not listed in public Name & Address Book',
  ],
  [
    'Postfix, folded',
    '<a@b.test>: Name service error for domain b.test: Host not\n    found, try again',
    'soft',
    'Name service error for domain b.test: Host not found, try again',
  ],
  [
    'Earthlink',
    'said: 550 a@b.test...User unknown (in reply to RCPT TO command)',
    'hard',
    '550 a@b.test...User unknown (in reply to RCPT TO command)',
  ],
  [
    'an older qmail',
    "<a@b.test>:\nSorry, I couldn't find any host by that name.",
    'hard',
    "Sorry, I couldn't find any host by that name.",
  ],
  [
    'Gmail, of itself',
    'Delivery to the following recipient failed permanently:\n\n     a@b.test\n\nTechnical details of permanent failure:\nDNS Error: Domain name not found\n\nThe text',
    'hard',
    'DNS Error: Domain name not found',
  ],
  [
    'Gmail, which could not reach it',
    'Technical details of permanent failure:\nTEMP_FAILURE: Could not initiate SMTP conversation with any hosts:\n[b.test (1): Connection timed out]\n\nno such user',
    'soft',
    'TEMP_FAILURE: Could not initiate SMTP conversation with any hosts: [b.test (1): Connection timed out]',
  ],
  [
    'Gmail, of a domain that does not exist',
    "Your message wasn't delivered to a@b.test because the domain\nb.test couldn't be found.\n\nThe response was:\n\nDNS Error: 2320449 DNS type 'mx' lookup of b.test responded with code NXDOMAIN",
    'hard',
    "DNS type 'mx' lookup of b.test responded with code NXDOMAIN",
  ],
  [
    'Postfix, whose reply is broken before the sender’s address',
    '<a@b.test>: host mx.b.test[192.0.2.1] said: 550 5.1.1\n    <c@d.test>: Sender address rejected: User unknown (in reply to MAIL FROM command)',
    'other',
    '550 5.1.1 <c@d.test>: Sender address rejected: User unknown (in reply to MAIL FROM command)',
  ],
  ['Exim, of two lines', '  a@b.test\n    Unrouteable\n    address', 'hard', 'Unrouteable address'],
  [
    'of several lines',
    'undeliverable to a@b.test\n550-REJECTED:\n550-F=[a@b.test] user unknown,\n550 blacklisted link',
    'policy',
    '550-REJECTED: 550-F=[a@b.test] user unknown, 550 blacklisted link',
  ],
  [
    'two addresses',
    '<a@b.test>:\n550 5.1.1 User unknown\n\n<c@b.test>:\n552 5.2.2 Mailbox full',
    'soft',
    '552 5.2.2 Mailbox full',
  ],
  [
    'two addresses in words',
    '<a@b.test>:\nUser unknown\n\n<c@b.test>:\nThis account is over quota.',
    'soft',
    'This account is over quota.',
  ],
  [
    'two addresses that are dead',
    'a@b.test: User unknown\n\nc@b.test: No such user',
    'hard',
    'User unknown',
  ],
  [
    'one address twice',
    '<a@b.test>\n (reason: 550 User unknown)\n\n>>> QUIT\n<a@b.test>... 554 Service refused',
    'hard',
    '550 User unknown)',
  ],
  [
    'words of nobody’s address',
    'Unknown error. Write to postmaster@b.test',
    'other',
    'Unknown error. Write to postmaster@b.test',
  ],
]
for (const [name, text, is, detail] of notices) {
  test(`the reason stands with the address: ${name}`, async () => {
    const read = await plain('From: MAILER-DAEMON@mx.test\r\nSubject: Undelivered Mail', text)
    assert.deepEqual(
      read.kind === 'status' && [bounceClassOf(read.code, read.detail ?? ''), read.detail],
      [is, detail],
    )
  })
}

test('a mail system’s words of an unknown address are a bounce by themselves; others are shown, though it calls them automatic', async () => {
  assert.partialDeepStrictEqual(
    await plain('From: ndr@mx.test\r\nSubject: Hello', 'a@b.test - is fine.'),
    { kind: 'unread' },
  )
  const from = 'From: MDaemon@mx.test\r\nAuto-Submitted: auto-replied\r\nSubject: Hello'
  assert.partialDeepStrictEqual(await plain(from, 'a@b.test - no such user here.'), {
    kind: 'status',
  })
  assert.partialDeepStrictEqual(await plain(from, 'a@b.test - is fine.'), {
    kind: 'unread',
    detail: 'a@b.test - is fine.',
  })
  assert.deepEqual(
    await plain('From: c@b.test\r\nSubject: Hello', 'a@b.test - no such user here.'),
    { kind: 'other' },
  )
  assert.partialDeepStrictEqual(
    await plain('From: amazonses.com\r\nSubject: Hello', 'a@b.test - no such user here.'),
    {
      kind: 'status',
    },
  )
  // Nobody else begins a mail so; somebody who forwards it quotes it.
  const qmail =
    'Hi. This is the qmail-send program at b.test.\n\n<a@b.test>:\nSorry, no mailbox here by that name. (#5.1.1)'
  assert.partialDeepStrictEqual(
    await plain('From: bounce@b.test\r\nSubject: failure notice', qmail),
    { kind: 'status' },
  )
  assert.deepEqual(
    await plain('From: c@b.test\r\nSubject: Fwd: failure notice', qmail.replaceAll(/^/gm, '> ')),
    {
      kind: 'other',
    },
  )
})

test('the subject of Domino says the reason; the one of sendmail only where it is not ours', async () => {
  const reasonOf = async (subject: string): Promise<unknown> => {
    const read = await plain(`From: postmaster@mx.test\r\nSubject: ${subject}`, 'Sorry.')
    return read.kind === 'status' ? read.detail : null
  }
  assert.equal(
    await reasonOf('DELIVERY FAILURE: User a not listed in Domino Directory'),
    'User a not listed in Domino Directory',
  )
  assert.equal(await reasonOf('Returned mail: User unknown'), 'User unknown')
  assert.equal(await reasonOf('Returned mail: No such user any more, our autumn letter'), null)
})

test('sendmail’s transcript of several commands at once: a refused RCPT is not taken for a refused mail', async () => {
  const read = async (transcript: string): Promise<unknown> => {
    const parts = [
      `Content-Type: text/plain\n\n${transcript}`,
      `Content-Type: message/delivery-status\n\n${head}Action: failed\nStatus: 5.1.1\nDiagnostic-Code: SMTP; 550 unknown user\n`,
    ]
    const mail = await plain(
      'Content-Type: multipart/report; boundary=b',
      `${parts.map((part) => `--b\n${part}`).join('\n')}\n--b--\n`,
    )
    return mail.kind === 'status' && bounceClassOf(mail.code, mail.detail ?? '')
  }
  assert.equal(
    await read('>>> DATA\n<<< 550 unknown user\n<<< 503 Valid RCPT command must precede DATA\n'),
    'hard',
  )
  assert.equal(await read('>>> DATA\n<<< 550 unknown user\n'), 'soft')
})

test('each expression of the table of sentences costs no more than the length of its text', () => {
  for (const { says } of [
    ...noticeSubjects,
    ...introductions,
    ...signedIntroductions,
    ...noticeReasons,
    { says: returnedMailBegins },
  ])
    for (const piece of [
      'a',
      ' ',
      '-',
      '.',
      'é',
      'Hi. This is the ',
      'DNS lookup failure: host ',
      'the ',
    ])
      assertLinear(String(says), 2_000, (length) => says.test(piece.repeat(length / piece.length)))
})

test('more than 500 parts, or nested deeper than 20: refused', async () => {
  const parts = (count: number): Buffer =>
    Buffer.from(
      `From: a@b.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(count)}`,
    )
  assert.deepEqual(await readReturnedMail(parts(500)), { kind: 'other' })
  await assert.rejects(readReturnedMail(parts(501)), /parts/)
  const nested = Array.from(
    { length: 30 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  ).join('')
  await assert.rejects(readReturnedMail(Buffer.from(nested)), /nesting/)
})

test('any bytes: an answer, or a refusal in one line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
      const read = await readReturnedMail(bytes).catch((error: unknown) => String(error))
      assert.ok(typeof read === 'string' || typeof read.kind === 'string')
    }),
  )
})

const words = fc.array(
  fc.constantFrom(
    '\r\n',
    '\n',
    '\r\n\r\n',
    'Action: ',
    'failed',
    'Status: ',
    '5.1.1',
    'Diagnostic-Code: ',
    'smtp; ',
    '550 ',
    '--b',
    '--',
    'Content-Type: ',
    'multipart/report; boundary=b',
    'message/delivery-status',
    'message/feedback-report',
    'Feedback-Type: abuse',
    ' ',
    '\0',
    'é',
    '=?utf-8?q?=00?=',
    'X-Failed-Recipients: a',
    'This is the mail system',
  ),
  { maxLength: 60 },
)

test('any pile of what notices are made of: what is read is short, and of the kinds that there are', async () => {
  await fc.assert(
    fc.asyncProperty(words, async (pieces) => {
      const text = pieces.join('')
      const read = await readReturnedMail(Buffer.from(text)).catch(
        () => ({ kind: 'other' }) as const,
      )
      if (read.kind === 'status') {
        assert.ok(['failed', 'delayed', 'delivered', 'relayed'].includes(read.action))
        assert.ok((read.detail ?? '').length <= 4_100)
        assert.ok(read.code === null || /^(?:[245]\.\d{1,3}\.\d{1,3}|[45]\d\d)$/.test(read.code))
      }
      readTextBounce({ header: () => null, text })
      readDeliveryStatus(text)
      readFeedbackReport(text)
    }),
  )
})
