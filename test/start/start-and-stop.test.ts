/** Starting and stopping as people do: what is said once, how long it takes, and that the database ends cleanly. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/postgres.ts'
import { isAlive, lastDatabaseLine, ownerPid, postmasterPid, startProgram } from '../support/service.ts'

const folder = join(makeTemporaryFolder('start'), 'data')
let key = ''
let setUpLink = ''

test('the first start prints the addresses, a key, a curl line and the set-up link; SIGTERM ends it within 5 s, the database cleanly', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('"msg":"ready"')
  key = /^ +(fct_live_\S+)$/m.exec(service.said())?.[1] ?? ''
  assert.notEqual(key, '')
  assert.match(service.said(), new RegExp(`curl http://127.0.0.1:${service.port}/api/v1/emails .*${key}`))
  assert.match(service.said(), /\/captured/)
  setUpLink = /^ +(http:\S+\/app\/set-up\/\S+)$/m.exec(service.said())?.[1] ?? ''
  assert.notEqual(setUpLink, '')
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/me`, { headers: { 'x-api-key': key } })
  assert.equal(answer.status, 200)
  const postmaster = postmasterPid(folder)
  const began = performance.now()
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.ok(performance.now() - began < 5_000)
  assert.equal(isAlive(postmaster), false)
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
})

test('secrets of a data folder are readable by their owner only', () => {
  for (const name of ['master.key', 'database.json']) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
})

test('the second start is ready within 3 s, keeps the data, prints no key and another set-up link; Ctrl-C ends it within 5 s, the database last', async (t) => {
  const began = performance.now()
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  assert.ok(performance.now() - began < 3_000, `${Math.round(performance.now() - began)} ms`)
  assert.doesNotMatch(service.said(), /fct_live_|curl/)
  await service.saying('/app/set-up/')
  assert.equal(service.said().includes(setUpLink), false)
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/me`, { headers: { 'x-api-key': key } })
  assert.equal(answer.status, 200)
  const stopping = performance.now()
  service.signalGroup('SIGINT')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.ok(performance.now() - stopping < 5_000)
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
})

test('Ctrl-C while the database is being made: it ends in order, and the next start is whole', async (t) => {
  const early = join(makeTemporaryFolder('start'), 'data')
  const service = await startProgram(t, { folder: early })
  await service.saying('Making the database')
  service.signalGroup('SIGINT')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  const again = await startProgram(t, { folder: early })
  await again.saying('Facteur is ready')
})

test('a role without the API listens nowhere and says which it has', async (t) => {
  const service = await startProgram(t, { folder, args: ['start', '--role', 'worker'] })
  await service.saying('Facteur is ready (worker).')
  await assert.rejects(fetch(`http://127.0.0.1:${service.port}/`))
})

test('two starts on one data folder: the second says so and leaves the first alone', async (t) => {
  const first = await startProgram(t, { folder })
  await first.saying('Facteur is ready')
  const second = await startProgram(t, { folder })
  assert.equal((await second.ended).code, 1)
  assert.match(second.said(), new RegExp(`already running on .* \\(process ${ownerPid(folder)}\\)`))
  const answer = await fetch(`http://127.0.0.1:${first.port}/api/v1/me`, { headers: { 'x-api-key': key } })
  assert.equal(answer.status, 200)
})
