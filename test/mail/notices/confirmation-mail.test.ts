/**
 * The request to confirm, checked by others' code: Python's strict parser finds no defect,
 * SpamAssassin nothing in how it is made.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import PostalMime from 'postal-mime'
import { recipientLanguages, type RecipientLanguage } from '../../../src/ground/texts/languages.ts'
import { composeMessage } from '../../../src/mail/mime/compose.ts'
import { writeConfirmationMail } from '../../../src/mail/notices/confirmation-mail.ts'

const link = `https://mail.example.com/confirm/${'aZ09_-'.repeat(11)}`.slice(0, 96)
const home = mkdtempSync(join(tmpdir(), 'facteur-sa-'))
after(() => rmSync(home, { recursive: true, force: true }))
const hasSpamAssassin =
  spawnSync('spamassassin', ['--version'], { env: { ...process.env, HOME: home } }).status === 0

const mailOf = (language: RecipientLanguage, workspaceName: string): Buffer => {
  const mail = writeConfirmationMail(language, {
    workspaceName,
    postalAddress: '1 rue de la Paix\n75002 Paris',
    link,
  })
  return composeMessage({
    ...mail,
    messageId: 'x@shop.example.com',
    date: new Date(),
    boundary: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    from: { name: workspaceName, address: 'hello@shop.example.com' },
    to: [{ name: null, address: 'camille@example.org' }],
    cc: [],
    replyTo: [],
    headers: [['Auto-Submitted', 'auto-generated']],
    attachments: [],
  }).bytes
}

for (const language of recipientLanguages) {
  test(`${language}: no defect for Python, both parts hold the link, Auto-Submitted is there`, () => {
    const input = JSON.stringify([mailOf(language, 'Boutique').toString('base64')])
    const { stdout } = spawnSync(
      'python3',
      [join(import.meta.dirname, '../../support/read-mails.py')],
      {
        input,
        encoding: 'utf8',
      },
    )
    const [observed]: {
      defects: unknown[]
      headers: string[]
      parts: { type: string; content: string }[]
    }[] = JSON.parse(stdout)
    assert.ok(observed)
    assert.deepEqual(observed.defects, [])
    assert.deepEqual(observed.headers, ['auto-generated'])
    assert.deepEqual(
      observed.parts.map(({ type }) => type),
      ['text/plain', 'text/html'],
    )
    for (const { content } of observed.parts) assert.ok(content.includes(link))
  })

  test(`${language}: the subject is ASCII on the wire (RFC 2047), and reads as written`, async () => {
    const workspaceName = 'Größe & Cœur'
    const mail = mailOf(language, workspaceName)
    const head = mail.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    assert.match(head, /^[\t\r\n -~]*$/)
    assert.match(head, /^Subject: =\?utf-8\?/im)
    const { subject, html } = await PostalMime.parse(mail)
    const written = writeConfirmationMail(language, { workspaceName, postalAddress: null, link })
    assert.equal(subject, written.subject)
    assert.ok(subject?.includes(workspaceName))
    assert.match(html ?? '', new RegExp(`<html lang="${language}"`))
  })

  test(
    `${language}: no point from SpamAssassin`,
    { skip: hasSpamAssassin ? false : 'no spamassassin on the PATH' },
    () => {
      const input = mailOf(language, 'Boutique')
      const { stdout } = spawnSync('spamassassin', ['-L', '-t'], {
        input,
        encoding: 'utf8',
        env: { ...process.env, HOME: home },
      })
      const report = stdout.slice(stdout.lastIndexOf('Content analysis details'))
      const hits = [...report.matchAll(/^\s*(-?\d+\.\d+) ([A-Z0-9_]+)/gm)].map(
        ([, points, rule]) => ({
          points: Number(points),
          rule,
        }),
      )
      assert.ok(hits.length > 0, 'the report was read')
      assert.deepEqual(
        hits.filter(({ points }) => points > 0),
        [],
      )
    },
  )
}

test('a name that looks like HTML is shown as text', () => {
  const { html, text, subject } = writeConfirmationMail('en', {
    workspaceName: 'A <b> & "C"',
    postalAddress: '<script>',
    link,
  })
  assert.doesNotMatch(html, /<b>|<script>/)
  assert.ok(html.includes('A &lt;b&gt; &amp; &quot;C&quot;'))
  assert.ok(text.includes('A <b> & "C"') && subject.includes('A <b> & "C"'))
})
