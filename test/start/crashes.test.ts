/**
 * After a crash: the database that was left running is taken over, the one that was killed comes
 * back, and no pid is trusted alone.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { livingOwner } from '../../src/database/embedded/data-owner.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import {
  isAlive,
  lastDatabaseLine,
  ownerPid,
  postmasterPid,
  startProgram,
} from '../support/service.ts'
import { until } from '../support/until.ts'

/** One for all: after any crash in it, the next start goes on with it. */
const folder = join(makeTemporaryFolder('crashes'), 'data')
/** Printed at the very first start. */
let key = ''

/** On a busy machine it may end after the service, whose time to stop is over. */
async function untilDatabaseStopped(postmaster: number): Promise<void> {
  await until(() => !isAlive(postmaster))
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
}

/** Files that are being written are there for a moment only. */
const octetsIn = (where: string): number =>
  readdirSync(where, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(where, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

test('kill -9 of the service: compiled code stays, and the next start adopts the database that goes on and stops it cleanly at its own end', async (t) => {
  const compiled = makeTemporaryFolder('compiled')
  const first = await startProgram(t, { folder, env: { NODE_COMPILE_CACHE: compiled } })
  await first.saying('"msg":"ready"')
  key = /fct_live_\w+/.exec(first.output())?.[0] ?? ''
  // Compiled code is stored before a kill can come.
  await until(() => octetsIn(compiled) >= 1_000_000)
  const postmaster = postmasterPid(folder)
  process.kill(ownerPid(folder), 'SIGKILL')
  assert.equal((await first.ended).signal, 'SIGKILL')
  assert.ok(isAlive(postmaster))
  const second = await startProgram(t, { folder })
  await second.saying('Facteur is ready')
  assert.equal(postmasterPid(folder), postmaster)
  second.child.kill('SIGTERM')
  assert.equal((await second.ended).code, 0)
  await untilDatabaseStopped(postmaster)
})

test('kill -9 of the launcher alone: the service behind it stops in order', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const postmaster = postmasterPid(folder)
  service.child.kill('SIGKILL')
  await service.ended
  assert.match(service.output(), /"why":"the launcher ended"/)
  assert.match(service.output(), /"msg":"stopped"/)
  await untilDatabaseStopped(postmaster)
})

test('kill -9 of the database: it is started again at the same address, and calls are answered', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('"msg":"ready"')
  process.kill(postmasterPid(folder), 'SIGKILL')
  const me = () =>
    fetch(`http://127.0.0.1:${service.port}/api/v1/me`, { headers: { 'x-api-key': key } })
  await until(me, ({ status }) => status === 200)
})

test('an owner file whose pid now belongs to another process is no living owner', () => {
  const elsewhere = makeTemporaryFolder('crashes')
  writeFileSync(
    join(elsewhere, 'owner.json'),
    JSON.stringify({ pid: process.pid, stamp: 'of an earlier process', kind: 'service' }),
  )
  assert.equal(livingOwner(folder), null)
})

test('a postmaster.pid whose number now belongs to another process does not block the start', async (t) => {
  const first = await startProgram(t, { folder })
  await first.saying('Facteur is ready')
  const file = join(folder, 'postgres', 'cluster', 'postmaster.pid')
  const lines = readFileSync(file, 'utf8')
  process.kill(postmasterPid(folder), 'SIGKILL')
  process.kill(ownerPid(folder), 'SIGKILL')
  await first.ended
  writeFileSync(file, lines.replace(/^\d+/, String(process.pid)))
  const second = await startProgram(t, { folder })
  await second.saying('Facteur is ready')
})
