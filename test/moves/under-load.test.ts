/**
 * `facteur database copy` under load: two processes follow to the target, no accepted mail is lost
 * or doubled, no call fails for good.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator } from '../cli/facteur.ts'
import { playScenario } from '../faults/scenario.ts'
import { freshDatabase } from '../support/database.ts'
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf } from '../support/fault-process.ts'
import { openWorld } from '../support/fault-world.ts'
import { fillMessages } from '../support/filled-database.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'
import { startRepeatingLoad } from './repeating-load.ts'

test('two processes under load move: counts and digests equal, nothing lost or doubled, 503 with Retry-After meanwhile', async () => {
  await playScenario(
    {
      name: 'move',
      promise: '',
      broken: [],
      async play(run) {
        const world = await openWorld(run)
        await fillMessages(world.url, 2_000)
        const target = await freshDatabase({ after: run.after })
        const ports = [await restartPort(), await restartPort()] as const
        const processes = [
          await world.start({ role: 'all', port: ports[0] }),
          await world.start({ role: 'all', port: ports[1] }),
        ]
        const load = startRepeatingLoad(world, ports)
        await load.goesOn(20)
        const operator = createOperator(
          settingsOf({
            databaseUrl: world.url,
            port: ports[0],
            smtpUrl: null,
            failpoints: [],
            settings: {},
          }),
        )
        const output = await operator.run([
          'database',
          'copy',
          '--to',
          target.url,
          '--yes',
          '--json',
        ])
        assert.equal(output.code, 0, `${output.stdout.toString()}${output.stderr}`)
        const moved: unknown = JSON.parse(output.stdout.toString())
        assert.deepEqual([at(moved, 'differing'), at(moved, 'processes')], [[], 2])
        await load.goesOn(20)
        const { accepted, repeated, failures } = await load.stop()
        assert.deepEqual(failures, [])
        assert.ok(repeated > 0, 'some calls met the switch')
        assert.deepEqual(await unfinishedRows(target.connection, world.workspaceId), [])
        const rows = await readLedger(target.connection, world.workspaceId)
        assert.deepEqual(new Set(rows.map(({ messageId }) => messageId)), new Set(accepted.keys()))
        await until(() => world.mails().length >= accepted.size)
        assert.deepEqual(checkMails(rows, world.mails()), [])
        assert.equal(world.mails().length, accepted.size)
        assert.ok(processes.every((each) => each.isAlive()))
        return []
      },
    },
    { seed: 1, whole: false },
  )
})
