/** The mails that programs hand in, and what is compared of them where they arrive. */
import assert from 'node:assert/strict'
import PostalMime, { type Email } from 'postal-mime'

export const content = {
  text: 'Bonjour Zoé,\n.une ligne avec un point\nÀ bientôt',
  html: '<p>Bonjour Zoé <img src="cid:logo"></p>',
  logo: Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1').toString('base64'),
  filename: 'reçu.bin',
  file: Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('base64'),
  calendar: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n',
}

export interface ProgramMail {
  step: string
  from: string
  /** Where it is not the address of `from`. */
  envelopeFrom?: string
  to: string[]
  bcc: string[]
  subject: string
  charset: 'utf-8' | 'iso-8859-1'
}

const good = { subject: 'Commande n° 1042 ✓', charset: 'utf-8' } as const
/** No tick: its charset has none. */
const latin = { subject: 'Reçu n° 1042', charset: 'iso-8859-1' } as const

/** Two that leave, and a refused and a suppressed one beside them, named after the program. */
export function mailsOf(program: string, domain: string): ProgramMail[] {
  const from = `Boutique <hello@${domain}>`
  const to = [`to@${program}.example`]
  return [
    { ...good, step: 'good', from, to, bcc: [`bcc@${program}.example`] },
    { ...latin, step: 'charset', from, to: [`latin@${program}.example`], bcc: [] },
    { ...good, step: 'unverified', from: 'Boutique <hello@elsewhere.test>', to, bcc: [] },
    { ...good, step: 'suppressed', from, to: [...to, 'left@example.com'], bcc: [] },
  ]
}

let composed = 0

/** The bytes of a mail, for a program that composes none. */
export function compose({ from, to, subject, charset }: Omit<ProgramMail, 'step' | 'bcc'>): Buffer {
  const encoding = charset === 'utf-8' ? 'utf8' : 'latin1'
  const base64 = (text: string): string => Buffer.from(text, encoding).toString('base64')
  const lines = [
    `From: ${from}`,
    `To: ${to.join(', ')}`,
    `Subject: =?${charset}?B?${base64(subject)}?=`,
    `Message-ID: <${++composed}@raw.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=m',
    ...['', '--m', 'Content-Type: multipart/alternative; boundary=a', '', '--a'],
    ...[`Content-Type: text/plain; charset=${charset}`, 'Content-Transfer-Encoding: 8bit', ''],
    ...content.text.split('\n'),
    ...['--a', 'Content-Type: multipart/related; boundary=r', '', '--r'],
    ...[`Content-Type: text/html; charset=${charset}`, 'Content-Transfer-Encoding: base64', ''],
    base64(content.html),
    ...['--r', 'Content-Type: image/png; name=logo.png', 'Content-ID: <logo>'],
    ...['Content-Transfer-Encoding: base64', '', content.logo, '--r--'],
    ...['--a', 'Content-Type: text/calendar; charset=utf-8; method=REQUEST', ''],
    ...content.calendar.trimEnd().split('\r\n'),
    ...['--a--', '--m', 'Content-Type: application/octet-stream'],
    `Content-Disposition: attachment; filename*=utf-8''re%C3%A7u.bin`,
    ...[
      'Content-Transfer-Encoding: base64',
      '',
      ...(content.file.match(/.{1,76}/g) ?? []),
      '--m--',
    ],
    '',
  ]
  return Buffer.from(lines.join('\r\n'), encoding)
}

/** What is compared of each mail, by its column in docs/smtp.md. */
const comparisons = {
  text: ({ text = '' }) => assert.equal(lf(text).trimEnd(), content.text),
  HTML: ({ html = '' }) => assert.equal(lf(html).trimEnd(), content.html),
  'nested parts': (_, bytes) =>
    assert.deepEqual(multiparts(bytes), ['mixed', 'alternative', 'related']),
  'inline image': (mail) => {
    const { data, contentId } = fileOf(mail, ({ mimeType }) => mimeType === 'image/png')
    assert.deepEqual([data.toString('base64'), contentId], [content.logo, '<logo>'])
  },
  calendar: (mail) => {
    const { data, method } = fileOf(mail, ({ mimeType }) => mimeType === 'text/calendar')
    assert.equal(method, 'REQUEST')
    assert.equal(lf(data.toString()).trimEnd(), lf(content.calendar).trimEnd())
  },
  attachment: (mail) => {
    const { data } = fileOf(mail, ({ filename }) => filename === content.filename)
    assert.equal(data.toString('base64'), content.file)
  },
} satisfies Record<string, (mail: Email, bytes: Buffer) => void>

export type Part = keyof typeof comparisons
export const parts = Object.keys(comparisons) as Part[]

/** Compares both mails as they arrived: the sender, the subject and each part. */
export async function compareParts(
  bytes: Buffer,
  { domain, lacks, subject }: { domain: string; lacks: readonly string[]; subject: string },
): Promise<Part[]> {
  assert.doesNotMatch(bytes.toString('latin1'), /^bcc:/im)
  const mail = await PostalMime.parse(bytes)
  assert.deepEqual(mail.from, { name: 'Boutique', address: `hello@${domain}` })
  assert.equal(mail.subject, subject)
  const compared = parts.filter((part) => !lacks.includes(part))
  for (const part of compared) comparisons[part](mail, bytes)
  return compared
}

export const subjects = { good: good.subject, charset: latin.subject }

const lf = (text: string): string => text.replaceAll('\r\n', '\n')

const multiparts = (bytes: Buffer): string[] =>
  [...bytes.toString('latin1').matchAll(/^content-type: multipart\/(\w+)/gim)].map(
    ([, kind = '']) => kind,
  )

function fileOf(
  { attachments }: Email,
  find: (file: Email['attachments'][number]) => boolean,
): Omit<Email['attachments'][number], 'content'> & { data: Buffer } {
  const file = attachments.find(find) ?? assert.fail('the file did not arrive')
  return { ...file, data: Buffer.from(file.content as ArrayBuffer) }
}
