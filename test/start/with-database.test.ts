/** A command's database: the running service's, or one for the time of the command. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { livingOwner } from '../../src/database/embedded/data-owner.ts'
import { withDatabase } from '../../src/database/embedded/embedded-postgres.ts'
import { runOn } from '../support/database.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { lastDatabaseLine, ownerPid, postmasterPid, startProgram } from '../support/service.ts'

const folder = join(makeTemporaryFolder('command'), 'data')
const ask = (url: string) => runOn(url, 'select 1')

test('no service: the database runs for the time of the work, and ends cleanly also when the work fails', async () => {
  assert.equal((await withDatabase({ folder }, ask)).rowCount, 1)
  assert.equal(livingOwner(folder), null)
  await assert.rejects(
    withDatabase({ folder }, () => Promise.reject(new Error('mine'))),
    /mine/,
  )
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
})

test('two commands at once, no service: one waits for the other', async () => {
  const both = await Promise.all([withDatabase({ folder }, ask), withDatabase({ folder }, ask)])
  assert.deepEqual(
    both.map((answer) => answer.rowCount),
    [1, 1],
  )
})

test('a running service: the command uses its database and leaves it running', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const before = [ownerPid(folder), postmasterPid(folder)]
  assert.equal((await withDatabase({ folder }, ask)).rowCount, 1)
  assert.deepEqual([ownerPid(folder), postmasterPid(folder)], before)
})

test('a service that starts while a command has the folder waits for it', async (t) => {
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>()
  const { promise: working, resolve: reportWorking } = Promise.withResolvers<void>()
  const command = withDatabase({ folder }, () => {
    reportWorking()
    return work
  })
  await working
  const service = await startProgram(t, { folder })
  await service.saying('Waiting for another command')
  endWork()
  await command
  await service.saying('Facteur is ready')
})
