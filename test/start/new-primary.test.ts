/** What the operator sees of a failover: a line of the log, a metric, and the line of `doctor`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator } from '../cli/facteur.ts'
import { startReplicated } from '../support/replicated-postgres.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'

test('a failover is a line of the log, a higher timeline in /metrics, and in the line of doctor', async (t) => {
  const postgres = await startReplicated(t, { synchronous: true })
  const env = {
    DATABASE_URL: postgres.url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const doctor = async (): Promise<string> => {
    const { stdout } = await createOperator(env).run(['doctor'])
    return /^.* primary .*(?:\n +→.*)?/m.exec(stdout.toString())?.[0] ?? stdout.toString()
  }
  const service = await startProgram(t, { env })
  await service.saying('"msg":"ready"')
  const timeline = async (): Promise<string | undefined> =>
    /^facteur_database_timeline (\d+)$/m.exec(
      await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text(),
    )?.[1]
  const [first, second] = [postgres.primary(), postgres.standby()].map(
    ({ url }) => /127\.0\.0\.1:\d+/.exec(url)?.[0],
  )
  assert.equal(await timeline(), '1')
  assert.match(
    await doctor(),
    new RegExp(
      `^ok +primary +${first}, timeline 1; commits wait for a standby; standbys connected: 1. Only a member of pg_read_all_stats`,
    ),
  )
  await postgres.primary().ask('grant pg_monitor to facteur')
  assert.match(
    await doctor(),
    new RegExp(
      `^ok +primary +${first}, timeline 1; commits wait for a standby, and it is connected: walreceiver`,
    ),
  )

  await postgres.primary().kill()
  await postgres.promote()
  await service.saying(`New primary ${second}, timeline 2 (was ${first}, timeline 1)`)
  await until(timeline, (observed) => observed === '2')
  // The commands of this process have connected to the former one before: the next look finds the
  // new one.
  const alone = new RegExp(
    `^ok +primary +${second}, timeline 2; commits wait for no standby; no standby is connected`,
  )
  await until(doctor, (output) => alone.test(output))
  await postgres.primary().ask(`alter system set synchronous_standby_names = 'db1'`)
  await postgres.primary().ask('select pg_reload_conf()')
  await until(doctor, (output) =>
    /^problem +primary .*none of synchronous_standby_names is connected: every write waits\n +→ Start that standby/.test(
      output,
    ),
  )
})
