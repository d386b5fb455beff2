/** The unit of `deploy/systemd/`: systemd reads it, finds it closed, and its command starts and stops as the unit expects. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { blocksOf, withReplaced } from '../support/page-blocks.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run } from '../support/service.ts'

const unit = readFileSync(join(here, 'deploy/systemd/facteur.service'), 'utf8')
const valueOf = (name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? assert.fail(`the unit has no ${name}`)
const systemd = spawnSync('systemd-analyze', ['--version']).status === 0

test('systemd takes every line of the unit', { skip: !systemd && 'no systemd-analyze here' }, () => {
  const folder = makeTemporaryFolder('unit')
  // The user and the program of the page are not on this machine.
  const local = withReplaced(unit, { 'User=facteur': 'User=daemon', '/usr/bin/node': process.execPath })
  writeFileSync(join(folder, 'facteur.service'), local)
  const checked = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, 'facteur.service')], { encoding: 'utf8' })
  const said = checked.stderr.split('\n').filter((line) => line.includes('facteur.service'))
  assert.deepEqual(said, [])
})

test('every line is a directive that systemd has in its section', () => {
  const pages = new Map(
    [...readFileSync(join(here, 'test/docs/systemd-directives.txt'), 'utf8').matchAll(/^([a-z-]+): (.+)$/gm)].map(
      ([, name = '', directives = '']) => [name, directives.split(' ')],
    ),
  )
  const ofSection: Record<string, string[]> = {
    Unit: ['unit'],
    Service: ['service', 'exec', 'kill', 'resource-control'],
    Install: ['unit'],
  }
  let known: (string | undefined)[] = []
  for (const line of unit.split('\n').filter((text) => !/^(?:#.*)?$/.test(text))) {
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? []
    if (section !== undefined) known = (ofSection[section] ?? []).flatMap((name) => pages.get(name))
    else assert.ok(known.includes(/^(\w+)=/.exec(line)?.[1]), line)
  }
})

test('systemd rates its exposure below 2 of 10', { skip: !systemd && 'no systemd-analyze here' }, () => {
  const folder = makeTemporaryFolder('unit')
  writeFileSync(join(folder, 'facteur.service'), unit)
  const args = ['security', '--offline=yes', '--threshold=20', join(folder, 'facteur.service')]
  const rated = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  assert.equal(rated.status, 0, `${rated.stdout}${rated.stderr}`.slice(-400))
})

test('its command starts the service in its folder, and SIGTERM to it alone ends all of it', async (t) => {
  const [program, ...args] = valueOf('ExecStart').split(' ')
  assert.equal(program, '/usr/bin/node')
  const folder = join(makeTemporaryFolder('unit-data'), 'data')
  const env = { FACTEUR_PORT: String(await freePort()), FACTEUR_DATA: folder }
  const service = run(t, process.execPath, args, { cwd: here, env })
  await service.saying('"msg":"ready"')
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.match(service.said(), /"msg":"stopped"/)
})

test('no line of the page puts the settings, and with them secrets, into the arguments of a program', () => {
  for (const block of blocksOf('docs/systemd.md', 'sh')) assert.doesNotMatch(block, /\$\(|`|\/etc\/facteur\.env.*\|/)
})
