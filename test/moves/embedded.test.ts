/**
 * An installation on the embedded database moves to a PostgreSQL of another major version while it
 * runs, and back into a data folder.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createOperator, runProgram } from '../cli/facteur.ts'
import { emptyDatabase, runOn } from '../support/database.ts'
import { startOtherPostgres, whyNoOtherPostgres } from '../support/debian-postgres.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { programFile } from '../support/program.ts'
import { databaseHome, isAlive, postmasterPid, startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'
import { startRepeatingLoad } from './repeating-load.ts'

const folder = join(makeTemporaryFolder('move'), 'data')
const other = join(makeTemporaryFolder('move'), 'data')
/** Of another major version where one is installed; of the same one elsewhere. */
const url =
  whyNoOtherPostgres === false
    ? (await startOtherPostgres({ after })).url
    : await emptyDatabase({ after })
const copyTo = async (to: string): Promise<unknown> => {
  const output = await runProgram(
    [programFile, 'database', 'copy', '--to', to, '--yes', '--json'],
    {
      FACTEUR_DATA: folder,
    },
  )
  assert.equal(output.code, 0, `${output.stdout.toString()}${output.stderr}`)
  return JSON.parse(output.stdout.toString())
}
const keyOf = (output: string): string => /fct_\S+/.exec(output)?.[0] ?? assert.fail(output)
const modeOf = (file: string): number => statSync(file).mode & 0o777

/** Accepted so far, by all loads. */
const accepted: string[] = []
let world = { apiKey: '', domain: '' }

const movesTo = async (to: string, port: number, name: string): Promise<unknown> => {
  const load = startRepeatingLoad(world, [port], { to: name, restMs: 200 })
  await load.goesOn(10)
  const moved = await copyTo(to)
  await load.goesOn(10)
  const end = await load.stop()
  assert.deepEqual(end.failures, [])
  accepted.push(...end.accepted.keys())
  assert.deepEqual([at(moved, 'differing'), at(moved, 'processes')], [[], 1])
  return moved
}

const hasAll = async (port: number): Promise<void> => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/emails/${accepted[0]}`, {
    headers: { authorization: `Bearer ${world.apiKey}` },
  })
  assert.equal(answer.status, 200)
}

test('embedded → PostgreSQL of another major version under load: the running service follows, and so does the next start', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  await service.saying('Send a first mail')
  world = {
    apiKey: keyOf(service.output()),
    domain:
      /sender hello@(\S+)\. Its|sender \S+@(\S+?)\./
        .exec(service.output())
        ?.slice(1)
        .find(Boolean) ?? assert.fail(service.output()),
  }
  const postmaster = postmasterPid(folder)
  await movesTo(url, service.port, 'there')
  await until(() => !isAlive(postmaster))
  assert.equal(modeOf(join(folder, 'moved.json')), 0o600)
  const there = await runOn(
    url,
    'select count(distinct id)::int as messages from message where not notice',
  )
  assert.equal(there.rows[0]?.messages, accepted.length)
  service.signalGroup('SIGTERM')
  await service.ended
  // As the command says: nothing of the former database is needed any more.
  rmSync(databaseHome(folder), { recursive: true })
  rmSync(join(folder, 'database.json'))
  const next = await startProgram(t, { folder })
  await next.saying('Facteur is ready')
  await hasAll(next.port)
})

test('a target in the data folder, one around it, and a file are refused before anything is copied', async () => {
  const data = join(makeTemporaryFolder('move'), 'outer', 'data')
  mkdirSync(join(data, 'postgres'), { recursive: true })
  symlinkSync(data, join(data, '..', 'link'))
  writeFileSync(join(data, '..', 'file'), '')
  const operator = createOperator({ FACTEUR_DATA: data })
  const refuses = (to: string, message: RegExp): Promise<void> =>
    operator.refused(['database', 'copy', '--to', to, '--yes'], {
      code: 'refused',
      exit: 1,
      message,
    })
  await refuses(data, /data is the data folder of this installation/)
  await refuses(
    join(data, 'postgres', 'inner'),
    /inner lies in the data folder of this installation/,
  )
  await refuses(join(data, '..', 'link', 'inner'), /inner lies in the data folder/)
  await refuses(join(data, '..'), /outer holds the data folder/)
  await refuses(join(data, '..', 'file'), /file is a file, or lies below one: name an empty folder/)
})

test('PostgreSQL → embedded in another folder under load; the former database refuses every change and a start', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  await movesTo(other, service.port, 'back')
  assert.equal(modeOf(join(other, 'master.key')), 0o600)
  assert.deepEqual(
    readFileSync(join(other, 'master.key')),
    readFileSync(join(folder, 'master.key')),
  )
  await hasAll(service.port)
  service.signalGroup('SIGTERM')
  await service.ended
  const next = await startProgram(t, { folder })
  await next.saying('Facteur is ready')
  await hasAll(next.port)
  assert.ok(existsSync(join(databaseHome(other), 'cluster', 'postmaster.pid')))
  await assert.rejects(
    runOn(url, `update workspace set name = 'Elsewhere'`),
    /This installation has moved to another database/,
  )
  const env = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: readFileSync(join(folder, 'master.key'), 'utf8').trim(),
  }
  const refused = await startProgram(t, { env })
  assert.equal((await refused.ended).code, 1)
  assert.match(refused.output(), new RegExp(`^This installation has moved to ${other}: `, 'm'))
})
