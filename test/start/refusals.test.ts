/** What cannot work is told in one line on standard error, with exit code 1 and nothing damaged. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/postgres.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { databaseHome, lastDatabaseLine, startProgram } from '../support/service.ts'
import type { ProgramOptions, Scope } from '../support/service.ts'
import { withDatabase } from '../../src/db/embedded-postgres.ts'

const folder = join(makeTemporaryFolder('refusals'), 'data')
const masterKey = Buffer.alloc(32, 7).toString('base64')

/** Starts, waits for the end, and answers the one line that is not progress. */
async function refusal(scope: Scope, options: ProgramOptions): Promise<string> {
  const service = await startProgram(scope, options)
  assert.equal((await service.ended).code, 1, service.said())
  const lines = service.said().trim().split('\n')
  const told = lines.filter(
    (line) => !/^(Starting the database|Making the database|Preparing the tables)/.test(line) && !line.startsWith('{'),
  )
  assert.equal(told.length, 1, service.said())
  assert.doesNotMatch(service.said(), /^\s+at /m)
  return told[0] ?? ''
}

async function startsWell(scope: Scope): Promise<void> {
  const service = await startProgram(scope, { folder })
  await service.saying('Facteur is ready')
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
}

test('a port in use', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.after(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  assert.match(
    await refusal(t, { folder, env: { FACTEUR_PORT: port } }),
    new RegExp(`127.0.0.1:${port}: another program has this port`),
  )
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
  await startsWell(t)
})

test('a file in place of the data folder', async (t) => {
  const file = join(makeTemporaryFolder('refusals'), 'data')
  writeFileSync(file, 'mine')
  assert.match(await refusal(t, { folder: file }), /data folder .* cannot be used \(EEXIST\): set FACTEUR_DATA/)
  assert.match(await refusal(t, { folder: join(file, 'below') }), /data folder .* cannot be used \(ENOTDIR\)/)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
})

test('a data folder of a newer PostgreSQL', async (t) => {
  const version = join(databaseHome(folder), 'cluster', 'PG_VERSION')
  writeFileSync(version, '19\n')
  assert.match(await refusal(t, { folder }), /of a newer version: PostgreSQL 19/)
  writeFileSync(version, '18\n')
  await startsWell(t)
})

test('a data folder of a newer Facteur', async (t) => {
  const change = (statement: string) => withDatabase({ folder }, (url) => runOn(url, statement))
  await change("insert into schema_migration values ('9999_from_the_future.sql', 'x', clock_timestamp())")
  assert.match(await refusal(t, { folder }), /newer version of Facteur \(it has 9999_from_the_future.sql\)/)
  await change("delete from schema_migration where name like '9999%'")
  await startsWell(t)
})

test('a master key that is lost, or another one', async (t) => {
  const file = join(folder, 'master.key')
  renameSync(file, `${file}.kept`)
  assert.match(await refusal(t, { folder }), /master.key is missing: put it back/)
  assert.match(await refusal(t, { folder, env: { FACTEUR_MASTER_KEY: masterKey } }), /FACTEUR_MASTER_KEY is not the key/)
  renameSync(`${file}.kept`, file)
  await startsWell(t)
})

test('a wrong DATABASE_URL: nobody there, an unknown database, a wrong password, not an address', async (t) => {
  const { url } = await freshDatabase(t)
  const tell = (address: string) => refusal(t, { env: { DATABASE_URL: address, FACTEUR_MASTER_KEY: masterKey } })
  assert.match(await tell('postgres://me:secret@127.0.0.1:1/x'), /^DATABASE_URL: nothing listens there .*me:\*\*\*@127.0.0.1:1/)
  assert.match(await tell(url.replace(/\/[^/?]+\?/, '/nowhere?')), /has no such database/)
  assert.match(await tell(url.replace(/facteur:[^@]+@/, 'facteur:wrong@')), /user or password are wrong/)
  assert.match(await tell('mysql://127.0.0.1/x'), /DATABASE_URL: expected an address/)
})

test('an external database without a master key', async (t) => {
  const { url } = await freshDatabase(t)
  assert.match(await refusal(t, { env: { DATABASE_URL: url } }), /FACTEUR_MASTER_KEY is needed with DATABASE_URL/)
})

test('settings that cannot be: the variable, its value and what is expected', async (t) => {
  assert.match(await refusal(t, { env: { FACTEUR_PORT: 'http' } }), /^FACTEUR_PORT is "http": expected a number from 0 to 65535$/)
  assert.match(await refusal(t, { args: ['start', '--role', 'cook'] }), /no role "cook"/)
})
