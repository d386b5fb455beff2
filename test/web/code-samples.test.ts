/** The programs of the overview's tabs, run as they are: each sends the mail that it shows. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from '../../src/database/client/sql.ts'
import { writeSample, type SampleName } from '../../web/src/pages/overview/code-samples.ts'
import { startSubmissionWorld } from '../submission/world.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const world = await startSubmissionWorld()
const shop = await world.workspace('shop')
const folder = makeTemporaryFolder('samples')
const run = promisify(execFile)

/** A sample's file, and the program that plays it; `probe` shows whether this machine has it. */
const players: Record<SampleName, { file: string; probe: string[]; play: string[] }> = {
  curl: { file: 'send.sh', probe: ['curl', '--version'], play: ['sh'] },
  node: { file: 'send.mjs', probe: [process.execPath, '-v'], play: [process.execPath] },
  python: { file: 'send.py', probe: ['python3', '--version'], play: ['python3'] },
  go: { file: 'send.go', probe: ['go', 'version'], play: ['go', 'run'] },
  php: { file: 'send.php', probe: ['php', '--version'], play: ['php'] },
  smtp: { file: 'smtp.sh', probe: ['curl', '--version'], play: ['sh'] },
}

for (const [name, { file, probe, play }] of Object.entries(players)) {
  const [command = '', ...args] = probe
  const isHere = spawnSync(command, args).status === 0
  const skip = isHere ? false : `no ${command} on the PATH`
  test(
    `the sample for ${name} sends the mail, also to an address with a quote`,
    { skip },
    async () => {
      const to = `o'brien+${name}@example.com`
      const sample = {
        ...{ baseUrl: world.baseUrl, key: shop.key, mail: { from: `hello@${shop.domain}`, to } },
        smtp: { host: '127.0.0.1', port: world.port, tls: 'none' as const },
      }
      // The names of the table are those of the samples.
      const text = writeSample(name as SampleName, sample) ?? assert.fail('there is a port')
      writeFileSync(join(folder, file), `${text}\n`)
      const [program = '', ...words] = play
      await run(program, [...words, join(folder, file)])
      const rows = await world.service.db.rows(sql`
      select m.subject, m.head ->> 'from' as sender from message m join recipient r
        on r.workspace_id = m.workspace_id and r.message_id = m.id
      where m.workspace_id = ${shop.id} and r.email = ${to}`)
      assert.equal(rows.length, 1)
      assert.partialDeepStrictEqual(rows[0], { subject: 'Hello' })
    },
  )
}

test('SMTP has no sample where the service takes no mail by it, and names TLS where it has a certificate', () => {
  const mail = { from: 'a@shop.test', to: 'b@example.com' }
  const sample = { baseUrl: 'https://mail.example.com', key: 'k', mail }
  assert.equal(writeSample('smtp', { ...sample, smtp: null }), null)
  const host = 'mail.example.com'
  const starttls = writeSample('smtp', { ...sample, smtp: { host, port: 587, tls: 'starttls' } })
  assert.match(starttls ?? '', /curl smtp:\/\/mail\.example\.com:587 --ssl-reqd /)
  const implicit = writeSample('smtp', { ...sample, smtp: { host, port: 465, tls: 'implicit' } })
  assert.match(implicit ?? '', /curl smtps:\/\/mail\.example\.com:465 /)
})
