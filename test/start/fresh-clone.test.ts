/**
 * A stranger's first minute: a clone, an empty home, `npm start`; everything is installed, and it
 * is ready.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run } from '../support/service.ts'

const registry = spawnSync('npm', ['ping'], { timeout: 120_000, stdio: 'ignore' }).status === 0
const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: here,
  encoding: 'utf8',
})
const skip = !registry
  ? 'the package registry does not answer'
  : listed.status !== 0 && 'this is no git checkout'

test(
  'a fresh clone with an empty home: npm start installs and is ready; npm run facteur finds it installed',
  { skip },
  async (t) => {
    const root = join(makeTemporaryFolder('clone'), 'facteur')
    const home = join(root, '..', 'home')
    for (const path of listed.stdout.split('\0'))
      if (path !== '' && existsSync(join(here, path))) cpSync(join(here, path), join(root, path))
    mkdirSync(home)
    const env = { HOME: home, FACTEUR_PORT: String(await freePort()) }
    const service = run(t, 'npm', ['start'], { cwd: root, env })
    await service.saying('Facteur is ready')
    assert.match(service.output(), /Installing \d+ packages/)
    assert.match(service.output(), /Installed \d+ packages/)
    assert.match(service.output(), /Built the pages of the workspace/)
    assert.equal((await fetch(`http://127.0.0.1:${env.FACTEUR_PORT}/app/sign-in`)).status, 200)
    assert.ok(
      !existsSync(join(root, 'node_modules', 'playwright-core')),
      'what only development needs is left out',
    )
    // npm passes SIGTERM on, and ends when we do.
    service.child.kill('SIGTERM')
    await service.ended
    assert.match(service.output(), /"msg":"stopped"/)
    assert.throws(
      () =>
        execFileSync('npm', ['run', '-s', 'facteur', '--', 'start', '--role', 'none'], {
          cwd: root,
          env: { ...process.env, ...env },
          stdio: 'pipe',
        }),
      (error: { stderr: Buffer }) => {
        assert.match(error.stderr.toString(), /^There is no role "none"/)
        return true
      },
    )
  },
)
