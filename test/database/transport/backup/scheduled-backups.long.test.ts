/**
 * Scheduled backups: made in turns by one of many processes, the newest kept, failures said aloud.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../../../src/ground/clock.ts'
import { startScheduledBackups } from '../../../../src/database/transport/backup/scheduled-backups.ts'
import { sql } from '../../../../src/database/client/sql.ts'
import { createSecrets } from '../../../../src/ground/secrets.ts'
import { createOperator } from '../../../cli/facteur.ts'
import { startApi } from '../../../support/api.ts'
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

const logged: { written: string[]; failed: number; notRemoved: number } = {
  written: [],
  failed: 0,
  notRemoved: 0,
}
const log = {
  debug: () => undefined,
  warn: () => undefined,
  info: (fields: object) => void ('place' in fields && logged.written.push(String(fields.place))),
  error: (_fields: object, message: string) =>
    void (message.startsWith('Old backups') ? logged.notRemoved++ : logged.failed++),
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
const backupsIn = (): string[] => readdirSync(folder).filter((name) => name.startsWith('facteur-2'))
/** A backup of former years, as far as its manifest says. */
const addBackup = (name: string, fields: object): void => {
  mkdirSync(join(folder, name), { recursive: true })
  const manifest = {
    ...{ format: 1, name, facteur: '0.1.0', postgres: '18', takenAt: '2020-01-01T00:00:00.000Z' },
    ...{
      keyFingerprint: createSecrets(key).fingerprint,
      migrations: [],
      tables: [],
      partitions: [],
      sequences: [],
      ...fields,
    },
  }
  writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify(manifest))
}
/** Of another installation, and made by hand: neither is removed. */
const others = ['facteur-20200101T000000Z', 'facteur-20200102T000000Z']
addBackup(others[0] ?? '', { keyFingerprint: 'of-another', scheduled: true })
const processes = [1, 2].map(() => startScheduledBackups({ db, clock: systemClock, log }, plan))
after(() => Promise.all(processes.map((each) => each.stop())))

test('two processes: one backup at a time, the newest two of the schedule stay, and those of others; the key is there once and does not come back', async () => {
  await until(() => logged.written.length >= 1)
  const keyName = readdirSync(folder).find((name) => name.endsWith('.key')) ?? assert.fail('no key')
  renameSync(join(folder, keyName), join(makeTemporaryFolder('safe'), keyName))
  addBackup(others[1] ?? '', {})
  addBackup('facteur-20200103T000000Z', { scheduled: true })
  await until(() => logged.written.length >= 4)
  assert.equal(new Set(logged.written).size, logged.written.length, 'no moment twice')
  await until(
    () => backupsIn().length === 4 && backupsIn().every((name) => !name.endsWith('.unfinished')),
  )
  assert.deepEqual(backupsIn().toSorted().slice(0, 2), others)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.key')),
    [],
  )
  assert.deepEqual([logged.failed, logged.notRemoved], [0, 0])
  assert.match(
    (await createOperator(env).run(['doctor'])).stdout.toString(),
    /backups +the last scheduled backup is of 20.*UTC, in /,
  )
})

test('an old backup that cannot be removed is logged, and is no failed backup', async () => {
  // Its place is taken, so it cannot be put aside.
  addBackup('facteur-20200104T000000Z.unfinished', {})
  addBackup('facteur-20200104T000000Z', { scheduled: true })
  await until(() => logged.notRemoved > 0)
  assert.equal(logged.failed, 0)
  assert.deepEqual(await db.rows(sql`select 1 from backup_state where failed_at is not null`), [])
  rmSync(join(folder, 'facteur-20200104T000000Z.unfinished'), { recursive: true })
  await until(() => !backupsIn().includes('facteur-20200104T000000Z'))
})

test('a failure is logged, and shown by doctor and the overview until the next success', async () => {
  const aside = `${folder}.aside`
  renameSync(folder, aside)
  writeFileSync(folder, '')
  await until(() => logged.failed > 0)
  const doctor = await createOperator(env).run(['doctor'])
  assert.match(
    doctor.stdout.toString(),
    /backups +the scheduled backup of .* failed, and the last scheduled backup is of .* UTC\. .* cannot be made: .*EEXIST\)\.\n/,
  )
  const [state] = await db.rows<{ failed: boolean }>(
    sql`select failed_at is not null as failed from backup_state`,
  )
  assert.equal(state?.failed, true)
  renameSync(folder, `${folder}.file`)
  mkdirSync(folder)
  const before = logged.written.length
  await until(() => logged.written.length > before)
  await until(
    async () =>
      (await db.rows(sql`select 1 from backup_state where failed_at is null`)).length === 1,
  )
})

test('stopped during a backup: nothing of it stays behind; a failure is forgotten when nothing has tried again', async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await db.count(sql`update backup_state set failed_at = facteur_now(), error = 'the disk is full'`)
  const withoutSchedule = createOperator({ ...env, FACTEUR_BACKUP_DIR: '' })
  assert.match(
    (await withoutSchedule.run(['doctor'])).stdout.toString(),
    /backups +the scheduled backup of .* failed, .* the disk is full/,
  )
  await db.count(sql`update backup_state set tried_at = facteur_now() - interval '31 minutes'`)
  const doctor = await withoutSchedule.run(['doctor'])
  assert.match(
    doctor.stdout.toString(),
    /backups +none are scheduled here \(FACTEUR_BACKUP_DIR\); the last scheduled backup is of /,
  )
  assert.ok(backupsIn().every((name) => !name.endsWith('.unfinished')))
})
