/** Scheduled backups: made in turns by one of many processes, the newest kept, failures said aloud. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { startScheduledBackups } from '../../../src/core/backups/scheduled-backups.ts'
import { sql } from '../../../src/db/connection/connect.ts'
import { createSecrets } from '../../../src/secrets.ts'
import { createOperator } from '../../cli/facteur.ts'
import { startApi } from '../../support/api.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const said: { made: string[]; failed: number } = { made: [], failed: 0 }
const log = {
  debug: () => undefined,
  warn: () => undefined,
  info: (fields: object) => void ('place' in fields && said.made.push(String(fields.place))),
  error: () => void said.failed++,
}
const api = await startApi({ workers: false })
const { db } = api.service
const key = Buffer.alloc(32, 1)
await db.count(sql`
  insert into installation (master_key_fingerprint, language, created_at)
  values (${createSecrets(key).fingerprint}, 'en', facteur_now()) on conflict do nothing`)
const folder = join(makeTemporaryFolder('scheduled'), 'backups')
const plan = { folder, everySeconds: 1, keep: 2, connectionString: () => api.database.url, key }
const env = {
  ...{ DATABASE_URL: api.database.url, FACTEUR_MASTER_KEY: key.toString('base64') },
  ...{ FACTEUR_BACKUP_DIR: folder, FACTEUR_BACKUP_EVERY: '1h' },
}
const backupsIn = (): string[] => readdirSync(folder).filter((name) => name.startsWith('facteur-'))
const processes = [1, 2].map(() => startScheduledBackups({ db, clock: systemClock, log }, plan))
after(() => Promise.all(processes.map((each) => each.stop())))

test('two processes: one backup at a time, the newest two stay, the key is there once and does not come back', async () => {
  await until(() => said.made.length >= 1)
  const keyName = readdirSync(folder).find((name) => name.endsWith('.key')) ?? assert.fail('no key')
  renameSync(join(folder, keyName), join(makeTemporaryFolder('safe'), keyName))
  await until(() => said.made.length >= 4)
  assert.equal(new Set(said.made).size, said.made.length, 'no moment twice')
  await until(() => backupsIn().length === 2 && backupsIn().every((name) => !name.endsWith('.unfinished')))
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.key')),
    [],
  )
  assert.equal(said.failed, 0)
  assert.match((await createOperator(env).run(['doctor'])).stdout.toString(), /backups +the last backup is of 20.*UTC, in /)
})

test('a failure is logged, and shown by doctor and the overview until the next success', async () => {
  const aside = `${folder}.aside`
  renameSync(folder, aside)
  writeFileSync(folder, '')
  await until(() => said.failed > 0)
  const doctor = await createOperator(env).run(['doctor'])
  assert.match(doctor.stdout.toString(), /backups +the backup of .* failed: .*(?:EEXIST|ENOTDIR)/)
  const [state] = await db.rows<{ failed: boolean }>(sql`select failed_at is not null as failed from backup_state`)
  assert.equal(state?.failed, true)
  renameSync(folder, `${folder}.file`)
  mkdirSync(folder)
  const before = said.made.length
  await until(() => said.made.length > before)
  await until(async () => (await db.rows(sql`select 1 from backup_state where failed_at is null`)).length === 1)
})

test('stopped during a backup: nothing of it stays behind', async () => {
  await Promise.all(processes.map((each) => each.stop()))
  assert.ok(backupsIn().every((name) => !name.endsWith('.unfinished')))
})
