/**
 * Where the database lives when its user cannot get at our folders, or their path is too long for a
 * socket.
 */
import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { databaseHome, here, lastDatabaseLine, startProgram } from '../support/service.ts'

const systemFolder = '/var/lib/facteur'
const isRoot = process.getuid?.() === 0

test(
  'root in a checkout under a 0700 home: programs and cluster live in /var/lib/facteur, the master key stays',
  { skip: !isRoot && 'only root runs PostgreSQL as another user' },
  async (t) => {
    const home = makeTemporaryFolder('home')
    chmodSync(home, 0o700)
    const root = join(home, 'facteur')
    mkdirSync(root)
    for (const name of [
      'bin',
      'dist',
      'src',
      'web',
      'migrations',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ])
      cpSync(join(here, name), join(root, name), { recursive: true })
    symlinkSync(realpathSync(join(here, 'node_modules')), join(root, 'node_modules'))
    const folder = join(root, 'data')
    const before = list(systemFolder)
    t.after(() => {
      for (const name of list(systemFolder))
        if (!before.includes(name)) rmSync(join(systemFolder, name), { recursive: true })
      rmSync(home, { recursive: true })
    })
    const service = await startProgram(t, { folder, root })
    await service.saying('Facteur is ready')
    assert.ok(databaseHome(folder).startsWith(`${systemFolder}/`))
    assert.notEqual(statSync(databaseHome(folder)).uid, 0)
    assert.equal(statSync(databaseHome(folder)).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, 'master.key')).uid, 0)
    service.child.kill('SIGTERM')
    assert.equal((await service.ended).code, 0)
    assert.match(lastDatabaseLine(folder), /database system is shut down/)
    const again = await startProgram(t, { folder, root })
    await again.saying('Facteur is ready')
    // Before its folders are removed.
    again.child.kill('SIGTERM')
    assert.equal((await again.ended).code, 0)
  },
)

test('a path too long for a socket: the socket lives in a short temporary folder, removed at the end', async (t) => {
  const folder = join(makeTemporaryFolder('long'), 'x'.repeat(120), 'data')
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  assert.ok(!readdirSync(databaseHome(folder)).some((name) => name.startsWith('.s.PGSQL')))
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
