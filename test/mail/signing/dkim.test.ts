/**
 * DKIM signatures verified by others' code: `mailauth`, and Python's dkimpy where it is installed.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { signMessage, type DkimSigner } from '../../../src/mail/signing/dkim.ts'
import { publicKeyOf, keyRecord } from '../../../src/mail/signing/dkim-record.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
const signers: DkimSigner[] = [
  { algorithm: 'rsa-sha256', domain: 'example.test', selector: 'r', key: rsa.privateKey },
  { algorithm: 'ed25519-sha256', domain: 'example.test', selector: 'e', key: ed25519.privateKey },
]
const record = (algorithm: DkimSigner['algorithm'], key: KeyObject): string =>
  keyRecord(algorithm, publicKeyOf(key))
const keys: Record<string, string> = {
  'r._domainkey.example.test': record('rsa-sha256', rsa.publicKey),
  'e._domainkey.example.test': record('ed25519-sha256', ed25519.publicKey),
}
const signedAt = new Date('2026-11-21T10:00:00Z')
const signed = (mail: string | Buffer): Promise<Buffer> =>
  signMessage(typeof mail === 'string' ? Buffer.from(mail) : mail, signers, { signedAt })

/** SMTP ends the last line of what it carries (RFC 5321 4.1.1.4). */
const carried = (mail: Buffer): Buffer =>
  mail.subarray(-2).equals(lineEnd) ? mail : Buffer.concat([mail, lineEnd])
const lineEnd = Buffer.from('\r\n')

/** The result of mailauth for each signature, in order. */
async function verify(mail: Buffer): Promise<string[]> {
  const resolver = (name: string): Promise<string[][]> => Promise.resolve([[keys[name] ?? '']])
  const { results } = await dkimVerify(carried(mail), { resolver })
  return results.map(({ status }) => status.result)
}

const headers =
  'From: A <a@example.test>\r\nTo: b@example.com\r\nSubject: Hello\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n'

const oddMails: Record<string, string> = {
  'an empty body': `${headers}\r\n`,
  'a body of empty lines': `${headers}\r\n\r\n\r\n\r\n`,
  'a body of white space': `${headers}\r\n \t \r\n  \r\n`,
  'empty lines at the end': `${headers}\r\nHello\r\n\r\n\r\n`,
  'no line end at the end': `${headers}\r\nHello`,
  'a space and no line end at the end': `${headers}\r\nHello `,
  'white space at the ends of lines': `${headers}\r\nHello \t\r\n\tthere  you \r\n`,
  'a dot alone': `${headers}\r\n.\r\n..\r\n`,
  'a long folded header': `Subject: ${'word\r\n '.repeat(300)}end\r\n${headers.replace('Subject: Hello\r\n', '')}\r\nHello\r\n`,
  'headers of white space': `X-Odd:   \t \r\nSubject:\t folded\r\n\t  twice \r\n${headers.replace('Subject: Hello\r\n', '')}\r\nHello\r\n`,
  'several headers of a name': `References: <1@x>\r\nReferences: <2@x>\r\n${headers}\r\nHello\r\n`,
  'UTF-8 in headers': `${headers.replace('Hello', 'Été ici')}\r\nHello\r\n`,
}

for (const [title, mail] of Object.entries(oddMails))
  test(`both signatures of a mail with ${title} pass`, async () => {
    assert.deepEqual(await verify(await signed(mail)), ['pass', 'pass'])
  })

test('the same mail and time give the same bytes', async () => {
  assert.deepEqual(await signed(`${headers}\r\nHello\r\n`), await signed(`${headers}\r\nHello\r\n`))
})

test('no signers: the mail is as it was', async () => {
  const mail = Buffer.from(`${headers}\r\nHello\r\n`)
  assert.equal(await signMessage(mail, [], { signedAt }), mail)
})

const bulk = `${headers}List-Unsubscribe: <https://example.test/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nFeedback-ID: a:b:c\r\n`

test('the headers that a reader sees or that unsubscribe cannot be changed, removed or added', async () => {
  const mail = (await signed(`${bulk}\r\nHello\r\n`)).toString()
  for (const [from, to] of [
    ['Hello\r\nDate', 'Bye\r\nDate'],
    ['\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click', ''],
    ['Feedback-ID: a', 'Feedback-ID: b'],
    ['example.test/u', 'evil.test/u'],
    ['From: A', 'From: Eve <eve@evil.test>\r\nFrom: A'],
    ['Subject: Hello', 'Subject: Bye\r\nSubject: Hello'],
    ['Feedback-ID:', 'Reply-To: eve@evil.test\r\nFeedback-ID:'],
    ['Feedback-ID:', 'Content-Type: text/html\r\nFeedback-ID:'],
    ['Feedback-ID:', 'List-Unsubscribe: <https://evil.test/>\r\nFeedback-ID:'],
    ['\r\n\r\nHello', '\r\n\r\nHello you'],
  ] as const) {
    assert.ok(mail.includes(from), from)
    assert.ok(
      !(await verify(Buffer.from(mail.replace(from, to)))).includes('pass'),
      `${from} → ${to}`,
    )
  }
})

test('changes that a mail server may make break no signature: folds, white space, other headers', async () => {
  const mail = (await signed(`${bulk}\r\nHello  you \r\n\r\n`)).toString()
  const changed = mail
    .replace('To: b@example.com', 'TO :\r\n  b@example.com ')
    .replace('Hello  you ', 'Hello you')
    .replace(/^/, 'Received: from x\r\nX-Spam: no\r\n')
  assert.deepEqual(await verify(Buffer.from(`${changed}\r\n\r\n`)), ['pass', 'pass'])
})

test('lines of a signature are no longer than 78 characters', async () => {
  const mail = (
    await signed(
      `${bulk}Sender: a@example.test\r\nReply-To: a@example.test\r\nList-Id: <x>\r\n\r\nHello\r\n`,
    )
  ).toString()
  const lines = mail.slice(0, mail.indexOf('From:')).split('\r\n')
  assert.ok(
    lines.every((line) => line.length <= 78),
    lines.join('\n'),
  )
})

/** Text that canonicalisation has something to do with. */
const oddText = fc
  .array(fc.constantFrom('a', 'Z9', ' ', '  ', '\t', '\r\n', '\r\n\r\n', '.', '=20', 'é', ':'), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''))
const oddValue = fc
  .array(fc.constantFrom('a', 'b;c', ' ', '\t', '\r\n ', '\r\n\t', ':', '"x"', 'é'), {
    maxLength: 30,
  })
  .map((parts) => parts.join('').replace(/(?:\r\n[ \t]+)+(?=\r\n|$)/g, ''))
const oddMail = fc
  .record({ subject: oddValue, list: oddValue, other: oddValue, body: oddText })
  .map(({ subject, list, other, body }) =>
    Buffer.from(
      `From: <a@example.test>\r\nSubject:${subject}x\r\nX-Other:${other}\r\nList-Unsubscribe:${list}y\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\n${body}`,
    ),
  )

test('any mail: mailauth passes both signatures', async () => {
  await fc.assert(
    fc.asyncProperty(oddMail, async (mail) => {
      assert.deepEqual(await verify(await signed(mail)), ['pass', 'pass'])
    }),
    { numRuns: 150 },
  )
})

test('any mail and the odd ones: dkimpy passes both signatures', async (t) => {
  const { status } = spawnSync('python3', ['-c', 'import dkim, nacl'])
  if (status !== 0) return t.skip('no dkimpy with PyNaCl: pip install dkimpy pynacl')
  const mails = [
    ...Object.values(oddMails).map((mail) => Buffer.from(mail)),
    ...fc.sample(oddMail, 100),
  ]
  const input = JSON.stringify({
    keys,
    mails: await Promise.all(
      mails.map(async (mail) => carried(await signed(mail)).toString('base64')),
    ),
  })
  const python = spawnSync('python3', [`${import.meta.dirname}/dkim-verify.py`], {
    input,
    maxBuffer: 1e9,
    encoding: 'utf8',
  })
  assert.equal(python.status, 0, python.stderr)
  const verdicts: string[][] = JSON.parse(python.stdout)
  for (const [index, verdict] of verdicts.entries())
    assert.deepEqual(verdict, ['pass', 'pass'], JSON.stringify(mails[index]?.toString()))
  assert.equal(verdicts.length, mails.length)
})

test('a key record is what others read', () => {
  assert.match(record('rsa-sha256', rsa.publicKey), /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{390,}={0,2}$/)
  assert.match(
    record('ed25519-sha256', ed25519.publicKey),
    /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/,
  )
  assert.ok(sign('sha256', Buffer.from('x'), rsa.privateKey).length === 256, 'RSA of 2048 bits')
})
