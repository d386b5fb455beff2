/**
 * What the sweep prints to repeat a schedule, and that a run whose world cannot be opened ends by
 * itself.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { completesWithin } from '../support/until.ts'
import { HOSTS_CLUSTER } from './host-postgres.ts'
import { spawnInHosts, whyNoHosts } from './namespaces.ts'
import { replayLines } from './sweep-hosts.ts'

test('a broken schedule is repeated alone, and with those that its world played before', () => {
  assert.deepEqual(replayLines(40, 40), ['replay: npm run sweep -- --schedules 1 --seed 40'])
  assert.deepEqual(replayLines(47, 40, ' --broken send.key'), [
    'replay: npm run sweep -- --schedules 1 --seed 47 --broken send.key',
    'with those before it in its world: npm run sweep -- --schedules 8 --seed 40 --broken send.key',
  ])
})

const why = whyNoHosts()

test(
  'a world that cannot be opened: its tests fail, and the run ends',
  { skip: why ?? false },
  async (t) => {
    const home = makeTemporaryFolder('no-world')
    const cluster = join(home, 'a-script')
    writeFileSync(cluster, '#!/bin/sh\n')
    const { NODE_TEST_CONTEXT, ...environment } = process.env
    process.env = { ...environment, [HOSTS_CLUSTER]: cluster }
    const run = spawnInHosts('inside/hosts.ts', [], { home, stdio: ['ignore', 'pipe', 'inherit'] })
    process.env = { ...environment, NODE_TEST_CONTEXT }
    t.after(() => run.kill('SIGKILL'))
    let output = ''
    run.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(run, 'exit')
    assert.ok(await completesWithin(ended), output)
    assert.deepEqual(await ended, [1, null])
    assert.match(output, new RegExp(`${HOSTS_CLUSTER}: ${cluster} is no folder of a cluster`))
  },
)
