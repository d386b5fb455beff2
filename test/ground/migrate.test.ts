/** The migration runner: each file once, whole or not at all, however many processes start together. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { makeTemporaryFolder } from '../support/postgres.ts'

const { url } = await freshDatabase()
await runOn(url, 'drop schema public cascade; create schema public')
const folder = makeTemporaryFolder('migrations')
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

test('several processes at once: each file is applied once', async () => {
  write('0001_one.sql', 'create table one (n int); insert into one values (1);')
  write('0002_two.sql', 'create table two (n int);')
  write('README.md', 'not a migration')
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, folder)))
  assert.deepEqual(applied.flat(), ['0001_one.sql', '0002_two.sql'])
  assert.equal((await runOn(url, 'select from one')).rowCount, 1)
  assert.deepEqual(await migrate(url, folder), [])
})

test('a file that fails leaves nothing of itself', async () => {
  write('0003_three.sql', 'create table three (n int); select 1 / 0;')
  await assert.rejects(migrate(url, folder), /0003_three.sql failed: division by zero/)
  assert.equal((await runOn(url, "select to_regclass('three') as name")).rows[0].name, null)
  write('0003_three.sql', 'create table three (n int);')
  assert.deepEqual(await migrate(url, folder), ['0003_three.sql'])
})

test('an applied file that changed, and one that we do not know: refused', async () => {
  write('0003_three.sql', 'create table three (n bigint);')
  await assert.rejects(migrate(url, folder), /0003_three.sql has changed/)
  await assert.rejects(migrate(url, makeTemporaryFolder('migrations')), /newer version of Facteur \(it has 0001_one.sql\)/)
})
