/** A move from an embedded database that is cut off after the switch: the service has it, and the same line once more proves it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { runProgram } from '../cli/facteur.ts'
import { emptyDatabase } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { programFile } from '../support/program.ts'
import { isAlive, startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'

test('killed after the decision, from an embedded database: the service follows, and the same line proves the move', async (t) => {
  const folder = join(makeTemporaryFolder('cut-off'), 'data')
  const to = await emptyDatabase(t)
  const env = { FACTEUR_DATA: folder, TARGET_URL: to }
  const copy = [programFile, 'database', 'copy', '--to-env', 'TARGET_URL', '--yes', '--json']
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const killed = await runProgram(copy, { ...env, FACTEUR_FAILPOINTS: 'move.after_decision:kill' })
  assert.equal(killed.code, null, killed.stderr)
  await until(() => existsSync(join(folder, 'moved.json')))
  const said = await runProgram(copy, env)
  assert.equal(said.code, 0, `${said.stdout.toString()}${said.stderr}`)
  const done: unknown = JSON.parse(said.stdout.toString())
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
