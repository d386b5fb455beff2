/**
 * The embedded PostgreSQL, which this run of the tests uses too, can be reached by its own user
 * alone (security: The embedded PostgreSQL).
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase, runOn } from '../../support/database.ts'

const { url } = await freshDatabase()
const setting = async (name: string): Promise<string> =>
  String((await runOn(url, `show ${name}`)).rows[0]?.[name])

test('the embedded PostgreSQL listens on no TCP port', async () => {
  assert.equal(await setting('listen_addresses'), '')
})

test('the socket of the embedded PostgreSQL belongs to its own user', async () => {
  const folder = (await setting('unix_socket_directories')).replaceAll('"', '')
  assert.equal(statSync(join(folder, `.s.PGSQL.${await setting('port')}`)).mode & 0o777, 0o700)
})

test('the embedded PostgreSQL takes no other password', async () => {
  const other = url.replace(/^(\w+:\/\/\w+:)[^@]+@/, '$1another@')
  assert.notEqual(other, url)
  await assert.rejects(runOn(other, 'select 1'), /password authentication failed/)
})
