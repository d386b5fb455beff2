/**
 * SpamAssassin's own rules on campaigns of every kind: nothing in how our mails are made costs a
 * point.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { blockSamples, camille, templateOf, type Content } from '../../support/campaign-samples.ts'

const program = spawnSync('spamassassin', ['--version'], { encoding: 'utf8' })
const skip = program.status === 0 ? false : 'no spamassassin on the PATH'
const home = mkdtempSync(join(tmpdir(), 'facteur-sa-'))
after(() => rmSync(home, { recursive: true, force: true }))

const words =
  'Nous avons reçu cette semaine de nouveaux livres pour enfants, des carnets et une belle série de cartes postales. ' +
  'Venez les voir à la boutique du mardi au samedi, ou commandez-les en ligne et passez les prendre quand vous voulez.'

const contents: Record<string, Content> = {
  text: {
    subject: 'Des nouvelles, {{firstName}}',
    text: `# Bonjour {{firstName}}\n\n${words}\n\nhttps://example.com/liste\n\n${words}`,
  },
  content: {
    preheader: 'Trois choses en deux minutes',
    content: [
      { type: 'paragraph', text: words },
      ...Object.values(blockSamples).flat(),
      { type: 'paragraph', text: words },
    ],
  },
  'short html': {
    html: '<p>Bonjour {{firstName}}, <a href="https://example.com/"><img src="https://example.com/a.png" alt="a"></a></p>',
  },
  html: {
    preheader: 'Trois choses en deux minutes',
    html: `<html><body><h1>Bonjour {{firstName}}</h1><p>${words}</p><p><a href="https://example.com/liste">La liste</a></p><p>${words}</p></body></html>`,
  },
}

/** Tests that hit, with their points, of `X-Spam-Status` and the report beside it. */
async function score(mail: Buffer): Promise<{ points: number; rule: string }[]> {
  const child = spawn('spamassassin', ['-L', '-t'], {
    env: { ...process.env, HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(mail)
  let report = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) report += String(chunk)
  const rows = report
    .slice(report.lastIndexOf('Content analysis details'))
    .matchAll(/^\s*(-?\d+\.\d+) ([A-Z0-9_]+)/gm)
  return [...rows].map((row) => ({ points: Number(row[1]), rule: row[2] ?? '' }))
}

/** Of this moment, so that its date says nothing. */
const mailOf = (content: Content): Buffer => {
  const recipient = { ...camille, date: new Date() }
  return templateOf(content).fill(recipient).bytes
}

for (const [kind, content] of Object.entries(contents)) {
  test(
    `a ${kind} campaign: no MIME_ or HTML_ penalty, nor any other for how it is made`,
    { skip },
    async () => {
      const hits = await score(mailOf(content))
      assert.ok(hits.length > 0, 'the report was read')
      assert.deepEqual(
        hits.filter(({ points }) => points > 0),
        [],
      )
    },
  )
}

test('a mail that is made badly is found out', { skip }, async () => {
  const bad = mailOf(contents['html'] ?? {})
    .toString('latin1')
    .replace('Content-Type: multipart/alternative;', 'Content-Type: multipart/alternativ;')
    .replace(/^MIME-Version.*\r\n/m, '')
    .replace(/^Date:.*\r\n/m, '')
  const hits = await score(Buffer.from(bad, 'latin1'))
  assert.ok(
    hits.some(({ points }) => points > 0),
    JSON.stringify(hits),
  )
})
