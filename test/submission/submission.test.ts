/** Mail by SMTP: every reply of the port, and what arrives of a mail that was handed in. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { limits } from '../../src/contract/limits.ts'
import { countInEachDatabase } from '../../src/core/dispatch/count-request.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createFailpoints } from '../../src/ground/failpoints.ts'
import { callVerb } from '../support/call-verb.ts'
import { mailsTo } from '../support/mails.ts'
import { talkTo, type Talk } from '../support/smtp-talk.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { until } from '../support/until.ts'
import { logIn, plain, startSubmissionWorld, submit } from './world.ts'

const quietly = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined } // oxfmt-ignore
const world = await startSubmissionWorld()
/** Its base URL is public, so that only TLS lets a password through; each mail fails once read. */
const abroad = await startSubmissionWorld(
  {
    log: quietly,
    settings: { baseUrl: 'https://mail.example.com' },
    failpoints: createFailpoints('submission.after_read:throw', systemClock),
  },
  { tls: testCertificate, tlsPort: 0 },
)
const shop = await world.workspace('Shop')
const other = await world.workspace('Other')
const otherShop = await abroad.workspace('Abroad')
const talk = await logIn(world.port, shop.key)

/** An address of this machine that other machines reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

let count = 0
/** A mail of the shop's, unlike any other of this file. */
const mail = (lines: string[] = [], body = ['Hello']): string[] => {
  const headers = [
    `From: Shop <hello@${shop.domain}>`,
    'To: you@example.com',
    'Subject: Hello',
    `Message-ID: <${++count}@app.test>`,
  ]
  const names = new Set(lines.map((line) => line.split(':', 1)[0]))
  return [...headers.filter((line) => !names.has(line.split(':', 1)[0])), ...lines, '', ...body]
}
const accepted = /^250 2\.6\.0 Accepted as ([0-9a-f-]{36})$/
const idOf = (reply: string): string => accepted.exec(reply)?.[1] ?? `no id in ${reply}`
/** A reply, and the connection that it came over goes on. */
const replyTo = (lines: string[], to = ['you@example.com']): Promise<string> =>
  submit(talk, { to, lines })

test('EHLO offers what the port can do, and nothing that it cannot', async () => {
  const stranger = await talkTo(world.port)
  assert.equal(await stranger.heard(), '220 mail.facteur.test ESMTP')
  const [, ...offered] = (await stranger.say('EHLO app.test')).split('\n')
  assert.deepEqual(
    offered.map((line) => line.slice(4)),
    [
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      'AUTH PLAIN LOGIN',
      'SIZE 31457280',
    ],
  )
  assert.equal(await stranger.say('MAIL FROM:<>'), '530 5.7.0 Authentication required')
  assert.match(await stranger.say('AUTH CRAM-MD5'), /^504 5\.5\.4 /)
  stranger.close()
})

test('235 for the names of other products and for the own slug; AUTH LOGIN too', async () => {
  for (const user of ['facteur', 'resend', 'apikey', 'Shop'])
    (await logIn(world.port, shop.key, user)).close()
  const login = await talkTo(world.port)
  await login.heard()
  await login.say('EHLO app.test')
  assert.equal(await login.say('AUTH LOGIN'), '334 VXNlcm5hbWU6')
  assert.equal(await login.say(Buffer.from('facteur').toString('base64')), '334 UGFzc3dvcmQ6')
  assert.match(await login.say(Buffer.from(shop.key).toString('base64')), /^235 2\.7\.0 /)
  login.close()
})

test('535 for another slug, a foreign user, an unknown, revoked or read-only key; 421 after three', async () => {
  const revoked = await shop.makeKey(['emails:send'])
  await shop.revokeKey(revoked)
  const logins: [string, string][] = [
    ['other', shop.key],
    ['postmaster', shop.key],
    ['facteur', world.unknownKey(shop)],
    ['facteur', revoked],
    ['facteur', await shop.makeKey(['subscribers:read'])],
    ['facteur', 'hunter2'],
  ]
  const refused = [...logins]
  while (refused.length > 0) {
    const stranger = await talkTo(world.port)
    await stranger.heard()
    await stranger.say('EHLO app.test')
    for (const [index, [user, key]] of refused.splice(0, 3).entries())
      assert.match(
        await stranger.say(`AUTH PLAIN ${plain(user, key)}`),
        index < 2 ? /^535 5\.7\.8 / : /^421 4\.7\.0 /,
        user,
      )
    assert.equal(await stranger.heard(), 'closed')
  }
  // A login is no call: the key's rate is whole.
  const before = await rateLeft(shop.key)
  ;(await logIn(world.port, shop.key)).close()
  assert.equal(await rateLeft(shop.key), before - 1)
})

const rateLeft = async (key: string): Promise<number> => {
  const answer = await fetch(`${world.baseUrl}/api/v1/account`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  return Number(answer.headers.get('x-ratelimit-remaining'))
}

test('454 once a network has failed too often, and once a key has from any network', async () => {
  const countRequest = countInEachDatabase(world.service)
  const key = world.unknownKey(shop)
  const digest = await import('node:crypto').then(({ hash }) => hash('sha256', key, 'base64url'))
  const fail = async (from: string, tried: string): Promise<string> => {
    const stranger = await talkTo(world.port, from)
    await stranger.heard()
    await stranger.say('EHLO app.test')
    const reply = await stranger.say(`AUTH PLAIN ${plain('facteur', tried)}`)
    stranger.close()
    return reply
  }
  await Promise.all(Array.from({ length: 600 }, () => countRequest(0, { address: '127.0.0.7' })))
  assert.match(await fail('127.0.0.7', 'wrong'), /^454 4\.7\.0 /)
  assert.match(await fail('127.0.0.8', key), /^535 5\.7\.8 /)
  await Promise.all(
    Array.from({ length: 600 }, () => countRequest(0, { address: `key ${digest}` })),
  )
  assert.match(await fail('127.0.0.8', key), /^454 4\.7\.0 /)
  assert.match(await fail('127.0.0.8', 'wrong'), /^535 5\.7\.8 /)
  // Who has the key gets in from there too.
  assert.match(await fail('127.0.0.7', shop.key), /^235 /)
})

test('538 where a password would travel in the clear, which EHLO does not ask for', async () => {
  const stranger = await talkTo(abroad.port)
  await stranger.heard()
  const offered = await stranger.say('EHLO app.test')
  assert.doesNotMatch(offered, /AUTH/)
  assert.match(offered, /STARTTLS/)
  assert.match(
    await stranger.say(`AUTH PLAIN ${plain('facteur', otherShop.key)}`),
    /^538 5\.7\.11 /,
  )
  assert.match(await stranger.say('AUTH LOGIN'), /^538 5\.7\.11 /)
  assert.match(await stranger.say('MAIL FROM:<>'), /^530 5\.7\.0 /)
  assert.match(await stranger.say('STARTTLS'), /^220 /)
  await stranger.secure()
  assert.match(await stranger.say('EHLO app.test'), /AUTH PLAIN LOGIN/)
  assert.match(await stranger.say(`AUTH PLAIN ${plain('facteur', otherShop.key)}`), /^235 /)
  stranger.close()
})

test(
  '538 for a client of another machine without TLS, also where the base URL is of this machine',
  { skip: outside === undefined && 'this machine has no address but its own' },
  async () => {
    const stranger = await talkTo(world.port, outside)
    await stranger.heard()
    assert.doesNotMatch(await stranger.say('EHLO app.test'), /AUTH/)
    assert.match(await stranger.say(`AUTH PLAIN ${plain('facteur', shop.key)}`), /^538 5\.7\.11 /)
    assert.match(await stranger.say('MAIL FROM:<>'), /^530 5\.7\.0 /)
    stranger.close()
  },
)

test('commands in one piece with STARTTLS are dropped: TLS begins with EHLO', async () => {
  const stranger = await talkTo(abroad.port)
  await stranger.heard()
  await stranger.say('EHLO app.test')
  const injected = [`AUTH PLAIN ${plain('facteur', otherShop.key)}`, 'MAIL FROM:<>', 'NOOP']
  await stranger.send(['STARTTLS', 'EHLO app.test', ...injected, ''].join('\r\n'))
  assert.match(await stranger.heard(), /^220 /)
  await stranger.secure()
  // The first reply inside TLS is to the first command inside it.
  assert.match(await stranger.say('MAIL FROM:<>'), /^503 5\.5\.1 /)
  assert.match(await stranger.say('EHLO app.test'), /^250-mail\.facteur\.test/)
  assert.match(await stranger.say('MAIL FROM:<>'), /^530 5\.7\.0 /)
  stranger.close()
})

test('451 for an error of ours: nothing is stored, and the client tries again', async () => {
  const socket = connectTls({ port: abroad.tlsPort, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  const say = (line: string): boolean => socket.write(`${line}\r\n`)
  await until(() => heard.startsWith('220'))
  for (const line of ['EHLO a', `AUTH PLAIN ${plain('facteur', otherShop.key)}`]) say(line)
  await until(() => heard.includes('\n235'))
  for (const line of ['MAIL FROM:<>', 'RCPT TO:<you@example.com>', 'DATA']) say(line)
  await until(() => heard.includes('\n354'))
  say([`From: hello@${otherShop.domain}`, '', 'Hello', '.', 'QUIT'].join('\r\n'))
  await until(() => heard.includes('\n221'))
  assert.match(heard, /\n451 4\.3\.0 /)
  assert.equal(await otherShop.messages(), 0)
  socket.destroy()
})

test('a mail arrives as it was written: Message-ID, Date, To and Cc with names outside the envelope', async () => {
  const reply = await submit(talk, {
    from: 'bounces@elsewhere.test',
    to: ['camille@example.com', 'Hidden@Example.com', 'ines@example.com'],
    lines: mail(
      [
        'To: "Camille, C." <camille@example.com>, Team: out@example.com;',
        'Cc: =?utf-8?Q?In=C3=A8s?= <ines@example.com>',
        'Message-ID: <thread-1@app.test>',
        'Date: Fri, 27 Nov 2026 10:00:00 +0100',
        'In-Reply-To: <earlier@app.test>',
        'X-Ticket: 42',
        'X-Ticket: 43',
      ],
      ['It works.', '.A dot'],
    ),
  })
  for (const recipient of ['camille@example.com', 'Hidden@example.com', 'ines@example.com']) {
    const [result] = await mailsTo(world.service, shop.id, recipient)
    const raw = result?.raw.toString() ?? ''
    assert.match(raw, /^To: "Camille, C\." <camille@example\.com>, Team: out@example\.com;\r$/m)
    assert.match(raw, /^Cc: =\?utf-8\?Q\?In=C3=A8s\?= <ines@example\.com>\r$/m)
    assert.match(raw, /^Message-ID: <thread-1@app\.test>\r$/m)
    assert.match(raw, /^Date: Fri, 27 Nov 2026 10:00:00 \+0100\r$/m)
    assert.match(raw, /^In-Reply-To: <earlier@app\.test>\r$/m)
    assert.match(raw, /^X-Ticket: 42\r\nX-Ticket: 43\r$/m)
    assert.doesNotMatch(raw, /hidden|bounces@/i)
    assert.equal(result?.text, 'It works.\n.A dot\n')
  }
  const message = await callVerb(world.service, shop.id, 'getMessage', {
    params: { id: idOf(reply) },
  })
  assert.deepEqual(
    message.recipients.map(({ email, kind }) => [email, kind]),
    [
      ['camille@example.com', 'to'],
      ['ines@example.com', 'cc'],
      ['Hidden@example.com', 'bcc'],
    ],
  )
})

test('headers of ours never leave, those that the rules drop are named on the page of the message', async () => {
  const to = 'dropped@example.com'
  const reply = await replyTo(
    mail(
      [
        'Sender: ceo@example.org',
        'Bcc: secret@example.com',
        'List-Unsubscribe: <https://example.org>',
        'X-SES-Configuration-Set: theirs',
        'X-Facteur-Tag-order: 1042',
        'X-Facteur-Track: opens',
        'X-Facteur-Other: 1',
        'X-Facteur-Idempotency-Key: dropped-1',
        'MIME-Version: 1.0',
        'Content-Type: text/html; charset=utf-8',
      ],
      ['<p>Hello</p>'],
    ),
    [to],
  )
  const [result] = await mailsTo(world.service, shop.id, to)
  assert.doesNotMatch(result?.raw.toString() ?? '', /ceo@|secret@|^List-|X-SES|X-Facteur/im)
  assert.match(result?.html ?? '', /\/o\//)
  const message = await callVerb(world.service, shop.id, 'getMessage', {
    params: { id: idOf(reply) },
  })
  assert.deepEqual(message.dropped_headers, [
    'Sender',
    'List-Unsubscribe',
    'X-SES-Configuration-Set',
    'X-Facteur-Other',
  ])
  assert.deepEqual(message.tags, { order: '1042' })
})

test('no To at all, MAIL FROM:<> and undisclosed recipients are taken', async () => {
  for (const lines of [['To: '], ['To: undisclosed-recipients:;']]) {
    const to = `nobody${lines[0]?.length}@example.com`
    assert.match(await replyTo(mail(lines), [to]), accepted)
    const [result] = await mailsTo(world.service, shop.id, to)
    assert.match(result?.raw.toString() ?? '', /^To: undisclosed-recipients:;\r$/m)
  }
})

test('a mail without a subject is taken', async () => {
  assert.match(await replyTo(mail(['Subject: ']), ['plain@example.com']), accepted)
  const [result] = await mailsTo(world.service, shop.id, 'plain@example.com')
  assert.match(result?.raw.toString() ?? '', /^Subject: \r$/m)
})

test('555 for a parameter that EHLO does not offer; those of MAIL that it does are taken', async () => {
  const hand = await logIn(world.port, shop.key)
  for (const parameter of ['RET=FULL', 'ENVID=1', 'FOO'])
    assert.match(await hand.say(`MAIL FROM:<> ${parameter}`), /^555 5\.5\.4 /)
  assert.match(await hand.say('MAIL FROM:<a b@example.com>'), /^501 5\.1\.7 /)
  assert.match(await hand.say('MAIL FROM:<> SIZE=1000 BODY=8BITMIME SMTPUTF8 AUTH=<>'), /^250 /)
  assert.match(await hand.say('RCPT TO:<you@example.com> NOTIFY=NEVER'), /^555 5\.5\.4 /)
  assert.match(await hand.say('DATA'), /^554 5\.5\.1 /)
  hand.close()
})

test('a NUL, an empty body and a line of 300,000 bytes are taken, and what leaves is mail', async () => {
  const odd = [mail(['Subject: a\0b'], ['x\0y']), mail([], []), mail([], ['x'.repeat(300_000)])]
  for (const [index, lines] of odd.entries()) {
    const to = `odd${index}@example.com`
    assert.match(await replyTo(lines, [to]), accepted)
    const [{ raw } = assert.fail(`no mail to ${to}`)] = await mailsTo(world.service, shop.id, to)
    assert.equal(raw.includes(0), false)
    const longest = Math.max(
      ...raw
        .toString('latin1')
        .split('\r\n')
        .map(({ length }) => length),
    )
    assert.ok(longest <= 998, `a line of ${longest} bytes`)
  }
})

test('addresses outside ASCII are taken (SMTPUTF8)', async () => {
  await talk.say('RSET')
  assert.match(await talk.say('MAIL FROM:<> SMTPUTF8 BODY=8BITMIME'), /^250 2\.1\.0 /)
  assert.match(await talk.say('RCPT TO:<zoé@bücher.example>'), /^250 2\.1\.5 /)
  await talk.say('DATA')
  const reply = await talk.say(
    [...mail(['To: Zoé <zoé@bücher.example>', 'Subject: Été']), '.'].join('\r\n'),
  )
  assert.match(reply, accepted)
  const [result] = await mailsTo(world.service, shop.id, 'zoé@xn--bcher-kva.example')
  assert.equal(result?.subject, 'Été')
  assert.equal(result?.to?.[0]?.address, 'zoé@xn--bcher-kva.example')
})

test('commands in one piece are answered in their order (PIPELINING)', async () => {
  const pipelined = await logIn(world.port, shop.key)
  await pipelined.send(
    'MAIL FROM:<>\r\nRCPT TO:<one@example.com>\r\nRCPT TO:<two@example.com>\r\nDATA\r\n',
  )
  const replies = [
    await pipelined.heard(),
    await pipelined.heard(),
    await pipelined.heard(),
    await pipelined.heard(),
  ]
  assert.deepEqual(
    replies.map((reply) => reply.slice(0, 3)),
    ['250', '250', '250', '354'],
  )
  await pipelined.send([...mail(), '.', 'QUIT', ''].join('\r\n'))
  assert.match(await pipelined.heard(), accepted)
  assert.match(await pipelined.heard(), /^221 /)
})

/** Each refusal behind the final dot, for the whole mail. */
const refusals: [string, () => Promise<string>, RegExp][] = [
  ['unverified From', () => replyTo(mail(['From: me@elsewhere.test'])), /^550 5\.7\.1 .*elsewhere\.test/],
  ['no From', () => replyTo(mail(['From: '])), /^554 5\.5\.2 .*no From/],
  ['two in From', () => replyTo(mail([`From: a@${shop.domain}, b@${shop.domain}`])), /^554 5\.5\.2 /],
  ['a line that is no header', () => replyTo(['hello', ...mail()]), /^554 5\.5\.2 .*line 1/],
  ['51 recipients', () => replyTo(mail(), Array.from({ length: 51 }, (_, n) => `r${n}@example.com`)), /^550 5\.5\.3 .*50/],
  ['a text that is too long', () => replyTo(mail([], ['x'.repeat(400_001)])), /^552 5\.3\.4 /],
  ['SIZE that is too large', () => talk.say('MAIL FROM:<> SIZE=31457281'), /^552 5\.3\.4 /],
  ['refused by the provider', () => replyTo(mail(), ['refused@simulator.test']), /^554 5\.0\.0 /],
  ['signed', () => replyTo(mail(['Content-Type: multipart/signed; boundary=b'], ['--b', '', 'x', '--b--'])), /^554 5\.6\.1 .*multipart\/signed/],
  ['encrypted', () => replyTo(mail(['Content-Type: multipart/encrypted; boundary=b'], ['--b', '', 'x', '--b--'])), /^554 5\.6\.1 .*multipart\/encrypted/],
  ['tracking that is unknown', () => replyTo(mail(['X-Facteur-Track: all'])), /^554 5\.5\.2 .*X-Facteur-Track/],
  ['a bare LF', () => replyTo(mail([], ['one\ntwo'])), /^554 5\.5\.2 .*CRLF/],
  ['a bare CR', () => replyTo(mail([], ['one\rtwo'])), /^554 5\.5\.2 .*CRLF/],
] // oxfmt-ignore

for (const [name, ask, expected] of refusals)
  test(`${name} is refused, and the next mail of the connection is taken`, async () => {
    const before = await sentMails()
    assert.match(await ask(), expected)
    await talk.say('RSET')
    assert.equal(await sentMails(), before)
    assert.match(await replyTo(mail()), accepted)
  })

const sentMails = (): Promise<number> => shop.messages()

test('a mail behind a bare LF and a dot is no mail of its own', async () => {
  const before = await shop.messages()
  await talk.say('MAIL FROM:<>')
  await talk.say('RCPT TO:<you@example.com>')
  await talk.say('DATA')
  const smuggled = ['MAIL FROM:<>', 'RCPT TO:<victim@example.com>', 'DATA', ...mail()].join('\r\n')
  await talk.send(`${mail().join('\r\n')}\n.\r\n${smuggled}\r\n.\r\n`)
  assert.match(await talk.heard(), /^554 5\.5\.2 /)
  assert.match(await talk.say('NOOP'), /^250 /)
  assert.equal(await shop.messages(), before)
})

test('500 for a command with a bare LF, and the connection ends', async () => {
  const hand = await logIn(world.port, shop.key)
  await hand.send('NOOP\nNOOP\r\n')
  assert.match(await hand.heard(), /^500 5\.5\.2 /)
  assert.equal(await hand.heard(), 'closed')
})

test('500 for a command of more than 4,096 bytes, whole or not, and the connection ends', async () => {
  for (const end of ['\r\n', '']) {
    const hand = await logIn(world.port, shop.key)
    await hand.send(`NOOP ${'x'.repeat(4_096)}${end}`)
    assert.match(await hand.heard(), /^500 5\.5\.2 /)
    assert.equal(await hand.heard(), 'closed')
  }
})

test('421 for ten commands that are none, and for ten before a login', async () => {
  const unknown = await logIn(world.port, shop.key)
  for (let tries = 1; tries < 10; tries++) assert.match(await unknown.say('FOO'), /^500 5\.5\.2 /)
  assert.match(await unknown.say('FOO'), /^421 4\.7\.0 /)
  assert.equal(await unknown.heard(), 'closed')
  const stranger = await talkTo(world.port)
  await stranger.heard()
  for (let tries = 1; tries < 10; tries++) assert.match(await stranger.say('NOOP'), /^250 /)
  assert.match(await stranger.say('NOOP'), /^421 4\.7\.0 /)
  assert.equal(await stranger.heard(), 'closed')
})

test('a text of 400,000 characters is taken, also of those that UTF-16 writes in two', async () => {
  const wide = (length: number): string[] => [
    ...Array.from({ length: length / 100 - 1 }, () => '\u{1F600}'.repeat(98)),
    '\u{1F600}'.repeat(98 + (length % 100)),
  ]
  const utf8 = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']
  assert.match(await replyTo(mail(utf8, wide(limits.bodyMax))), accepted)
  assert.match(await replyTo(mail(utf8, [...wide(limits.bodyMax), ''])), /^552 5\.3\.4 /)
})

test('550 for a suppressed recipient: none of the others gets the mail', async () => {
  await shop.suppress('left@example.com', 'unsubscribe')
  const before = await shop.messages()
  const reply = await replyTo(mail(), ['stays@example.com', 'left@example.com'])
  assert.match(reply, /^550 5\.7\.1 .*left@example\.com/)
  assert.equal(await shop.messages(), before)
  assert.match(await replyTo(mail(), ['stays@example.com']), accepted)
})

test('450 for rate, quota and reputation', async () => {
  const small = await world.workspace('Small', { monthlyQuota: 1 })
  const slow = await world.workspace('Slow', { ratePerMinute: 1 })
  const bad = await world.workspace('Bad')
  await bad.setReputation({ handOffs: 200, bounces: 20, complaints: 0 })
  const ofEach: [typeof small, number][] = [
    [small, 1],
    [slow, 1],
    [bad, 0],
  ]
  for (const [workspace, taken] of ofEach) {
    const theirTalk = await logIn(world.port, workspace.key)
    const send = (): Promise<string> =>
      submit(theirTalk, {
        to: ['you@example.com'],
        lines: mail([`From: hello@${workspace.domain}`]),
      })
    for (let sent = 0; sent < taken; sent++) assert.match(await send(), accepted)
    assert.match(await send(), /^450 4\.7\.0 /)
    theirTalk.close()
  }
})

test('554 at DATA after one refused RCPT; RSET forgets it', async () => {
  await talk.say('MAIL FROM:<>')
  assert.match(await talk.say('RCPT TO:<good@example.com>'), /^250 /)
  assert.match(await talk.say('RCPT TO:<no-domain@localhost>'), /^553 5\.1\.3 /)
  assert.match(await talk.say('DATA'), /^554 5\.5\.1 /)
  assert.match(await talk.say('RCPT TO:<good@example.com>'), /^250 /)
  assert.match(await talk.say('DATA'), /^554 5\.5\.1 /)
  await talk.say('RSET')
  assert.match(await replyTo(mail(), ['good@example.com']), accepted)
  assert.equal((await mailsTo(world.service, shop.id, 'good@example.com')).length, 1)
})

test('a key that is revoked sends nothing more, also over a connection that it opened', async () => {
  const key = await shop.makeKey(['emails:send'])
  const opened = await logIn(world.port, key)
  await shop.revokeKey(key)
  assert.match(await submit(opened, { to: ['you@example.com'], lines: mail() }), /^550 5\.7\.1 /)
  opened.close()
})

test('a network has 100 connections that have not logged in; those that have are not counted', async () => {
  const from = '127.0.0.20'
  const strangers = await Promise.all(Array.from({ length: 100 }, () => talkTo(world.port, from)))
  for (const stranger of strangers) assert.match(await stranger.heard(), /^220 /)
  const further = await talkTo(world.port, from)
  assert.match(await further.heard(), /^421 4\.7\.0 /)
  const [first] = strangers
  await first?.say('EHLO app.test')
  assert.match((await first?.say(`AUTH PLAIN ${plain('facteur', shop.key)}`)) ?? '', /^235 /)
  const next = await talkTo(world.port, from)
  assert.match(await next.heard(), /^220 /)
  for (const item of [...strangers, next]) item.close()
})

test('501 5.5.2 for a login that cannot be decoded, 500 for commands that are none', async () => {
  const stranger = await talkTo(world.port)
  await stranger.heard()
  await stranger.say('EHLO app.test')
  assert.match(await stranger.say('AUTH PLAIN !!!'), /^501 5\.5\.2 /)
  for (const command of ['WIZ x', 'SHELL', 'KILL'])
    assert.match(await stranger.say(command), /^500 5\.5\.2 /)
  stranger.close()
})

test('452 for the 1,001st RCPT, and then nobody gets the mail', async () => {
  const many = await logIn(world.port, shop.key)
  await many.say('MAIL FROM:<>')
  const rcpts = Array.from({ length: 1_001 }, (_, n) => `RCPT TO:<r${n}@example.com>\r\n`)
  await many.send(rcpts.join(''))
  let last = ''
  for (const _ of rcpts) last = await many.heard()
  assert.match(last, /^452 4\.5\.3 /)
  assert.match(await many.say('DATA'), /^554 5\.5\.1 /)
  many.close()
})

test('the same bytes for the same envelope answer the first id: a lost reply doubles nothing', async () => {
  const lines = mail()
  const first = await replyTo(lines, ['twice@example.com'])
  const again = await logIn(world.port, shop.key)
  assert.equal(await submit(again, { to: ['twice@example.com'], lines }), first)
  assert.notEqual(await replyTo(lines, ['else@example.com']), first)
  assert.notEqual(await replyTo([...lines, 'and more'], ['twice@example.com']), first)
  // Without a Message-ID nothing says that two mails are one.
  const nameless = mail().filter((line) => !line.startsWith('Message-ID'))
  assert.notEqual(await replyTo(nameless), await replyTo(nameless))
  again.close()
})

test('a key of the program stands for the mail, also where it composed it again', async () => {
  const keyed = (subject: string, name: string): string[] =>
    mail([`${name}: order-7`, `Subject: ${subject}`])
  const first = await replyTo(keyed('Order 7', 'X-Facteur-Idempotency-Key'))
  assert.match(first, accepted)
  assert.equal(await replyTo(keyed('Order 7', 'Resend-Idempotency-Key')), first)
  assert.match(await replyTo(keyed('Order 8', 'X-Facteur-Idempotency-Key')), /^554 5\.5\.4 /)
})

test('a mail is logged as a call, and counted by its end', async () => {
  assert.ok(world.ends.includes('accepted') && world.ends.includes('login_refused'))
  assert.ok(world.ends.includes('suppressed_recipient') && world.ends.includes('bare_line_end'))
  await world.service.requestLog.flush()
  const { data } = await callVerb(world.service, shop.id, 'listRequests', { query: {} })
  assert.ok(data.some(({ operation, status }) => operation === 'sendEmail' && status === 202))
  assert.ok(
    data.some(
      ({ operation, code }) => operation === 'sendEmail' && code === 'suppressed_recipient',
    ),
  )
})

test('a key of another workspace sends for its own alone', async () => {
  const foreign: Talk = await logIn(world.port, other.key)
  const before = await shop.messages()
  assert.match(await submit(foreign, { to: ['you@example.com'], lines: mail() }), /^550 5\.7\.1 /)
  assert.equal(await shop.messages(), before)
  foreign.close()
})

test('a program that opens a connection for each mail hands in 50 at once', async () => {
  const hand = async (): Promise<string> => {
    const item = await logIn(world.port, shop.key)
    const reply = await submit(item, { to: ['fifty@example.com'], lines: mail() })
    item.close()
    return reply
  }
  for (const reply of await Promise.all(Array.from({ length: 50 }, hand)))
    assert.match(reply, accepted)
})
