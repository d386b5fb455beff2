/**
 * The unit of `deploy/systemd/`: systemd reads it and finds it closed. `data-folders.test.ts` runs
 * its command.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksOf, withReplaced } from '../support/page-blocks.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here } from '../support/service.ts'

const unit = readFileSync(join(here, 'deploy/systemd/facteur.service'), 'utf8')
const systemd = spawnSync('systemd-analyze', ['--version']).status === 0

test(
  'systemd takes every line of the unit',
  { skip: !systemd && 'no systemd-analyze here' },
  () => {
    const folder = makeTemporaryFolder('unit')
    // The user and the program of the page are not on this machine.
    const local = withReplaced(unit, {
      'User=facteur': 'User=daemon',
      '/usr/bin/node': process.execPath,
    })
    writeFileSync(join(folder, 'facteur.service'), local)
    const checked = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', join(folder, 'facteur.service')],
      { encoding: 'utf8' },
    )
    const output = checked.stderr.split('\n').filter((line) => line.includes('facteur.service'))
    assert.deepEqual(output, [])
  },
)

test('every line is a directive that systemd has in its section', () => {
  const pages = new Map(
    [
      ...readFileSync(join(here, 'test/docs/systemd-directives.txt'), 'utf8').matchAll(
        /^([a-z-]+): (.+)$/gm,
      ),
    ].map(([, name = '', directives = '']) => [name, directives.split(' ')]),
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

test(
  'systemd rates its exposure below 2 of 10',
  { skip: !systemd && 'no systemd-analyze here' },
  () => {
    const folder = makeTemporaryFolder('unit')
    writeFileSync(join(folder, 'facteur.service'), unit)
    const args = ['security', '--offline=yes', '--threshold=20', join(folder, 'facteur.service')]
    const rated = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    assert.equal(rated.status, 0, `${rated.stdout}${rated.stderr}`.slice(-400))
  },
)

test('no line of the page puts the settings, and with them secrets, into the arguments of a program', () => {
  for (const block of blocksOf('docs/systemd.md', 'sh'))
    assert.doesNotMatch(block, /\$\(|`|\/etc\/facteur\.env.*\|/)
})
