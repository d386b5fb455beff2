/**
 * The second story, as the README tells it: its own lines, from a file of readers to what came of
 * the campaign.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run, startProgram } from '../support/service.ts'

/** Fewer than the README's twenty thousand, for the time that a test may take. */
const readers = 2_000

/** The README's lines, for a service on another port and in a folder of their own. */
function readmeLines(port: number): string {
  const chapter =
    /^## Send a campaign$([^]*?)^## /m.exec(readFileSync(join(here, 'README.md'), 'utf8'))?.[1] ??
    ''
  const blocks = [...chapter.matchAll(/^```sh\n([^]*?)^```$/gm)].map((match) => match[1] ?? '')
  assert.equal(blocks.length, 3)
  return `set -e\n${blocks.join('\n')}\necho "ID=$ID"`
    .replaceAll(
      'npm run -s facteur --',
      `'${process.execPath}' '${join(here, 'bin', 'facteur.mjs')}'`,
    )
    .replaceAll(/(?<=\| )node(?= -p)/g, `'${process.execPath}'`)
    .replaceAll('127.0.0.1:3025', `127.0.0.1:${port}`)
    .replaceAll('20000', String(readers))
}

test('the lines of the README: every subscriber has the mail, one bounces, and a click of Camille’s is counted', async (t) => {
  const folder = makeTemporaryFolder('campaign-story')
  const service = await startProgram(t, { folder: join(folder, 'data') })
  await service.saying('"msg":"ready"')
  const key = /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? assert.fail(service.output())
  const baseUrl = `http://127.0.0.1:${service.port}`
  const env = { FACTEUR_DATA: join(folder, 'data'), FACTEUR_PORT: String(service.port) }
  const lines = run(t, 'bash', ['-c', readmeLines(service.port)], { cwd: folder, env })
  assert.deepEqual(await lines.ended, { code: 0, signal: null }, lines.output())
  for (const text of [
    '2 002 new',
    'It would reach 2 002. All is well.',
    '2 002 recipients are in the queue',
    'bounced@simulator.test  bounced',
  ])
    assert.ok(lines.output().includes(text), `${text}:\n${lines.output()}`)
  const id = /^ID=(\S+)$/m.exec(lines.output())?.[1] ?? assert.fail(lines.output())

  const read = async (path: string): Promise<unknown> =>
    (
      await fetch(`${baseUrl}/api/v1/campaigns/${id}${path}`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).json()
  assert.partialDeepStrictEqual(await read(''), {
    status: 'sent',
    recipients: readers + 2,
    progress: { pending: 0, sent: readers + 2 },
  })

  const listed = await fetch(
    `${baseUrl}/captured/api/v1/captured?workspace=demo&search=subject:"News for Camille"`,
  )
  const copy = String(at(await listed.json(), 'data', '0', 'id'))
  const raw = await fetch(`${baseUrl}/captured/api/v1/captured/${copy}/raw?workspace=demo`)
  const mail = await PostalMime.parse(await raw.text())
  assert.equal(mail.subject, 'News for Camille')
  const [link] = /http\S+\/c\/\S+?(?=")/.exec(mail.html ?? '') ?? []
  assert.equal(
    (
      await fetch(link ?? '', {
        headers: {
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
        },
      })
    ).status,
    200,
  )
  const stats = await read('/stats')
  assert.partialDeepStrictEqual(at(stats, 'counts'), { opened: 1, clicked: 1, bounced: 1 })
  assert.deepEqual(at(stats, 'links'), [{ url: `${baseUrl}/docs`, clicks: 1 }])
})
