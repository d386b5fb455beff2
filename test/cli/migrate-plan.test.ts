/** `facteur migrate --plan`: what the missing migrations would lock, without changing anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { createOperator } from './facteur.ts'

const { url } = await freshDatabase()
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})

test('a database of this version: nothing would be locked', async () => {
  assert.match(
    await operator.text(['migrate', '--plan']),
    /^The database has this version already: nothing would be locked\.$/m,
  )
  assert.deepEqual(at(await operator.json(['migrate', '--plan']), 'migrations'), [])
})

test('a missing migration: its tables, their size here, the locks, how long and who waits; nothing is applied', async () => {
  const name = '0036_when_a_recipient_was_first_claimed.sql'
  await runOn(url, `delete from schema_migration where name = '${name}'`)
  const text = await operator.text(['migrate', '--plan'])
  assert.match(
    text,
    /^0036_when_a_recipient_was_first_claimed\.sql: one transaction, a moment\n {2}campaign_recipient \(\d+ [KM]B, \d+ rows\): ACCESS EXCLUSIVE, a moment; reads and writes wait\n {4}alter table campaign_recipient add column first_claimed_at timestamptz$/m,
  )
  assert.match(
    text,
    /^A lock waits for other transactions 1\.2 seconds at most.* Nothing was changed\.$/m,
  )
  const plan = await operator.json(['migrate', '--plan'])
  assert.partialDeepStrictEqual(plan, {
    migrations: [
      {
        name,
        isOneTransaction: true,
        seconds: 0,
        locks: [
          { table: 'campaign_recipient', mode: 'ACCESS EXCLUSIVE', waits: 'reads and writes' },
        ],
      },
    ],
  })
  assert.equal(
    (await runOn(url, `select from schema_migration where name = '${name}'`)).rowCount,
    0,
  )
})

test('an empty database: its files lock nothing that is there, and it stays empty', async () => {
  const empty = (await freshDatabase()).url
  await runOn(empty, 'drop schema public cascade; create schema public')
  const there = createOperator({
    DATABASE_URL: empty,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  assert.match(
    await there.text(['migrate', '--plan']),
    /^0001_ground\.sql: one transaction, a moment\n {2}locks no table of this database$/m,
  )
  assert.equal(
    (await runOn(empty, "select from pg_tables where schemaname = 'public'")).rowCount,
    0,
  )
})
