/**
 * A move from an embedded database that is cut off after the switch: the service has it, and the
 * same line once more proves it.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { readConfig } from '../../src/ground/config.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { recordCopy, recordMove } from '../../src/database/transport/copy-state.ts'
import { startEmbedded, withDatabase } from '../../src/database/embedded/embedded-postgres.ts'
import { createLog } from '../../src/ground/log.ts'
import { createService } from '../../src/main/create-service.ts'
import { sealTarget } from '../../src/main/move-file.ts'
import { openIntake } from '../../src/core/intake.ts'
import { openContext } from '../../src/main/open-context.ts'
import { openFollower } from '../../src/main/open-follower.ts'
import { createOperator, runProgram } from '../cli/facteur.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { programFile } from '../support/program.ts'
import { databaseHome, here, isAlive, run, startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'

test('from an embedded database: the service is killed during the copy, and the next one follows; the command is killed after the decision, and the same line proves the move', async (t) => {
  const folder = join(makeTemporaryFolder('cut-off'), 'data')
  const to = await emptyDatabase(t)
  const env = { FACTEUR_DATA: folder, TARGET_URL: to }
  const copy = [programFile, 'database', 'copy', '--to-env', 'TARGET_URL', '--yes', '--json']
  const first = await startProgram(t, { folder })
  await first.saying('Facteur is ready')
  // Without --json it says what it does.
  const copying = run(t, process.execPath, copy.slice(0, -1), {
    cwd: here,
    env: { ...env, FACTEUR_FAILPOINTS: 'move.after_decision:kill' },
  })
  await copying.saying('Copying the rows')
  copying.signalGroup('SIGSTOP')
  first.signalGroup('SIGKILL')
  await first.ended
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  copying.signalGroup('SIGCONT')
  assert.equal((await copying.ended).signal, 'SIGKILL', copying.output())
  await until(() => existsSync(join(folder, 'moved.json')))
  const output = await runProgram(copy, env)
  assert.equal(output.code, 0, `${output.stdout.toString()}${output.stderr}`)
  const done: unknown = JSON.parse(output.stdout.toString())
  assert.deepEqual([at(done, 'differing'), at(done, 'downtime_ms')], [[], null])
  service.signalGroup('SIGTERM')
  await service.ended
  // As of a service that has stopped while the command was reading it.
  const left = await startEmbedded({ folder, kind: 'command' })
  const pid = left.pid()
  left.leave()
  const next = await startProgram(t, { folder })
  await next.saying('Facteur is ready')
  assert.equal(isAlive(pid), false)
})

test('back into a data folder: the command is killed after the decision and the service has followed; the same line proves the move, and the next start is there', async (t) => {
  const [folder, back] = [1, 2].map(() => join(makeTemporaryFolder('cut-off'), 'data')) as [
    string,
    string,
  ]
  const env = { FACTEUR_DATA: folder, TARGET_URL: await emptyDatabase(t) }
  const line = [programFile, 'database', 'copy', '--yes', '--json']
  const moves = async (...to: string[]): Promise<void> => {
    const output = await runProgram([...line, ...to], env)
    assert.equal(output.code, 0, `${output.stdout.toString()}${output.stderr}`)
    assert.deepEqual(at(JSON.parse(output.stdout.toString()), 'differing'), [])
  }
  await createOperator({ FACTEUR_DATA: folder }).json(['workspace', 'create', 'Acme'])
  await moves('--to-env', 'TARGET_URL')
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const killed = await runProgram([...line, '--to', back], {
    ...env,
    FACTEUR_FAILPOINTS: 'move.after_decision:kill',
  })
  assert.equal(killed.code, null, killed.stderr)
  await until(() => readFileSync(join(folder, 'moved.json'), 'utf8').includes(back))
  await moves('--to', back)
  service.signalGroup('SIGTERM')
  await service.ended
  // Neither the service nor the first database is needed for it.
  rmSync(databaseHome(folder), { recursive: true })
  rmSync(join(folder, 'database.json'))
  await moves('--to', back)
  const operator = createOperator({ FACTEUR_DATA: folder })
  const workspaces = (await operator.json(['workspace', 'list'])) as { data: { slug: string }[] }
  assert.ok(workspaces.data.some(({ slug }) => slug === 'acme'))
  assert.ok(existsSync(join(databaseHome(back), 'cluster')))
})

test('the first attempt to follow into a folder fails: the second goes on with the database that is open', async (t) => {
  const { url, connection } = await freshDatabase(t)
  const folder = join(makeTemporaryFolder('follow'), 'data')
  const config = readConfig({
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  let output = ''
  const log = createLog({
    level: 'error',
    clock: systemClock,
    readable: false,
    write: (text) => (output += text),
  })
  const ctx = await openContext(config, log, url)
  const service = createService(ctx)
  const running = { database: { connectionString: url, stop: () => Promise.resolve(true) } }
  const follower = openFollower(
    { ctx, cells: service.databases, running, intake: openIntake() },
    config,
    [],
  )
  t.after(async () => {
    await follower.stop()
    await ctx.providers.close(0)
    service.stop()
    await ctx.close()
    await running.database.stop()
  })
  await recordCopy(connection, {
    copy: 'one',
    target: folder,
    sealedTarget: sealTarget(ctx.secrets, { folder }),
  })
  await recordMove(connection, new Map())
  // It has no tables yet, so it cannot become the installation.
  await until(() => output.includes('cannot follow the copy'))
  await withDatabase({ folder }, (there) => migrate(there))
  await until(() => running.database.connectionString !== url)
  assert.ok(
    running.database.connectionString.includes(encodeURIComponent(folder)),
    running.database.connectionString,
  )
})
