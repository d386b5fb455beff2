/**
 * What a start takes for a copy of its database, and what not: a replica that took over sends on.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { markUnknownCopy } from '../../../src/db/restore/withhold-pending.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { ADMIN_URL, freshDatabase, runOn, withDatabaseName } from '../../support/database.ts'
import { startOtherPostgres, whyNoOtherPostgres } from '../../support/debian-postgres.ts'
import { startProgram } from '../../support/service.ts'
import { createOperator } from '../../cli/facteur.ts'

const key = Buffer.alloc(32, 7).toString('base64')

test('a first start, and each one after it on the same database, is no copy', async () => {
  const { url } = await freshDatabase()
  assert.equal(await markUnknownCopy(url), null)
  assert.equal(await markUnknownCopy(url), null)
})

test('a clone: the first start holds it, once, and says how to release; hold is refused beside a running service', async (t) => {
  const { url } = await freshDatabase(t)
  const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: key }
  const first = await startProgram(t, { env })
  await first.saying('"msg":"ready"')
  const operator = createOperator(env)
  await operator.refused(['restore', 'hold', '--yes'], {
    code: 'refused',
    exit: 1,
    message: /^The service runs on this database \(1 process\)/,
  })
  first.signalGroup('SIGTERM')
  await first.ended
  assert.doesNotMatch(first.output(), /is a copy of another one/)

  const copy = await cloneOf(url)
  const second = await startProgram(t, { env: { ...env, DATABASE_URL: copy } })
  await second.saying('"msg":"ready"')
  assert.match(
    second.output(),
    /This database is a copy of another one, so what was pending in it is held: .*restore release --all/,
  )
  assert.match(second.output(), /"copyShownBy":"other object identifiers of PostgreSQL"/)
  const of = createOperator({ ...env, DATABASE_URL: copy })
  const doctor = await of.run(['doctor'])
  assert.match(
    doctor.stdout.toString(),
    /found a copy of another database .*\n?.*facteur restore release --all/,
  )
  await of.json(['restore', 'release', '--all', '--yes'])
  second.signalGroup('SIGTERM')
  await second.ended
  assert.equal(await markUnknownCopy(copy), null)
})

test(
  'a replica that took over is no copy; a recovery to a point in time is one',
  { skip: whyNoOtherPostgres },
  async (t) => {
    const { url, promoteAs } = await startOtherPostgres(t)
    await migrate(url)
    assert.equal(await markUnknownCopy(url), null)
    const before = await timelineOf(url)
    await promoteAs('replica')
    assert.equal(await markUnknownCopy(url), null)
    assert.equal(await timelineOf(url), before + 1)
    await promoteAs('recovery')
    assert.equal(await markUnknownCopy(url), 'a new timeline after a recovery to a point in time')
    assert.equal(await timelineOf(url), before + 2)
    assert.equal(await markUnknownCopy(url), null)
  },
)

const timelineOf = async (url: string): Promise<number> =>
  Number((await runOn(url, 'select timeline from database_identity')).rows[0]?.timeline)

/** As a dump that was restored: the same rows in another database. */
async function cloneOf(url: string): Promise<string> {
  const admin = process.env[ADMIN_URL] ?? assert.fail('no database')
  const [from, name] = [
    /\/(test_\w+)/.exec(url)?.[1],
    `test_${process.pid}_${randomBytes(6).toString('hex')}`,
  ]
  await runOn(admin, `create database ${name} template ${from}`)
  after(async () => {
    await runOn(admin, `drop database ${name} with (force)`)
  })
  return withDatabaseName(admin, name)
}
