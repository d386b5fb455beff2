/**
 * Starting and stopping as operators do: what is said once, how long it takes, and that the
 * database ends cleanly.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorKinds } from '../../src/contract/errors.ts'
import { withDatabase } from '../../src/database/embedded/embedded-postgres.ts'
import { runOn } from '../support/database.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import {
  isAlive,
  lastDatabaseLine,
  ownerPid,
  postmasterPid,
  startProgram,
} from '../support/service.ts'

const folder = join(makeTemporaryFolder('start'), 'data')
let key = ''
let setUpLink = ''

/**
 * A part that did not end in its share of the time, or a database that was left to end by itself,
 * is reported.
 */
const delays = /did not stop|cut short|still writing/

test('the first start prints the addresses, a key, a curl line and the set-up link; SIGTERM ends all parts in their time, the database cleanly', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('"msg":"ready"')
  assert.match(service.output(), /Making the database/)
  key = /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? ''
  assert.notEqual(key, '')
  assert.match(
    service.output(),
    new RegExp(`curl http://127.0.0.1:${service.port}/api/v1/emails .*${key}`),
  )
  assert.match(service.output(), /\/captured/)
  assert.match(service.output(), /Language +French, the default; FACTEUR_LANGUAGE=en changes it/)
  setUpLink = /^ +(http:\S+\/app\/set-up\/\S+)$/m.exec(service.output())?.[1] ?? ''
  assert.notEqual(setUpLink, '')
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/me`, {
    headers: { 'x-api-key': key },
  })
  assert.equal(answer.status, 200)
  const postmaster = postmasterPid(folder)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.match(service.output(), /"msg":"stopping"[^]*"msg":"stopped"/)
  assert.doesNotMatch(service.output(), delays)
  assert.equal(isAlive(postmaster), false)
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
  // The log of calls is written behind them, and at the stop.
  const { rows } = await withDatabase({ folder }, (url) =>
    runOn(url, 'select operation, status from request_log'),
  )
  assert.deepEqual(rows, [{ operation: 'getAccount', status: 200 }])
})

test('the language is that of the locale at the first start, is said, and stays in another locale; FACTEUR_LANGUAGE wins', async (t) => {
  const here = join(makeTemporaryFolder('start'), 'data')
  /** The language of the refusal that a call without a key gets, and what the start said. */
  const speaks = async (
    env: Record<string, string>,
  ): Promise<{ language: 'fr' | 'en'; output: string }> => {
    const service = await startProgram(t, { folder: here, env })
    await service.saying('Facteur is ready')
    const { message }: { message: string } = JSON.parse(
      await (await fetch(`http://127.0.0.1:${service.port}/api/v1/me`)).text(),
    )
    service.child.kill('SIGTERM')
    await service.ended
    const language = message === errorKinds.missing_api_key.en ? 'en' : 'fr'
    if (language === 'fr') assert.equal(message, errorKinds.missing_api_key.fr)
    return { language, output: service.output() }
  }
  const first = await speaks({ LC_ALL: '', LANG: 'en_GB.UTF-8' })
  assert.equal(first.language, 'en')
  assert.match(
    first.output,
    /Language +English, from LANG=en_GB\.UTF-8; FACTEUR_LANGUAGE=fr changes it/,
  )
  assert.equal((await speaks({ LANG: 'fr_FR.UTF-8' })).language, 'en')
  assert.equal((await speaks({ LANG: 'fr_FR.UTF-8', FACTEUR_LANGUAGE: 'fr' })).language, 'fr')
  assert.equal((await speaks({ LANG: 'C' })).language, 'en')
})

test('secrets of a data folder are readable by their owner only', () => {
  for (const name of ['master.key', 'database.json'])
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
})

test('the second start makes nothing again, has the data, prints no key and another set-up link; Ctrl-C ends all parts in their time, the database last', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  assert.doesNotMatch(
    service.output(),
    /Making the database|Putting the service together|Building the pages/,
  )
  assert.doesNotMatch(service.output(), /fct_live_|curl/)
  await service.saying('/app/set-up/')
  assert.equal(service.output().includes(setUpLink), false)
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/me`, {
    headers: { 'x-api-key': key },
  })
  assert.equal(answer.status, 200)
  service.signalGroup('SIGINT')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.doesNotMatch(service.output(), delays)
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
  assert.match(
    second.output(),
    new RegExp(`already running on .* \\(process ${ownerPid(folder)}\\)`),
  )
  const answer = await fetch(`http://127.0.0.1:${first.port}/api/v1/me`, {
    headers: { 'x-api-key': key },
  })
  assert.equal(answer.status, 200)
})
