/** PostgreSQL killed and started again under load: what was answered 202 is on its disk. */
import { connect } from '../../src/database/client/connect.ts'
import { lostConnection } from '../../src/database/client/database-errors.ts'
import { runOn } from '../support/database.ts'
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { checkLoad, startLoad } from '../support/fault-load.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import { startMigratedPostgres, type TestPostgres } from '../support/postgres.ts'
import type { Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

export const postgresKilled: Scenario = {
  name: 'postgres-killed',
  promise: 'PostgreSQL killed under load: every 202 is there afterwards and its mail arrives',
  broken: ['connect.durable'],
  async play(run) {
    const postgres = await startMigratedPostgres()
    run.after(() => postgres.stop())
    // A commit that does not wait for the log is lost with the server, and not saved by the log's
    // writer a moment before.
    await runOn(postgres.connectionString, "alter system set wal_writer_delay = '10s'")
    await runOn(postgres.connectionString, 'select pg_reload_conf()')
    const world = await openWorldOn(run, postgres)
    const port = await restartPort()
    const service = await world.start({ role: 'all', port })
    const load = startLoad(world, { port, clients: 8 })
    for (let kills = 0; kills < (run.whole ? 8 : 2); kills++) {
      await load.goesOn(run.draw.between(10, 60))
      const killed = postgres.pid()
      process.kill(killed, 'SIGKILL')
      await answering(world, () => postgres.pid() !== killed)
    }
    await load.goesOn(20)
    const result = await load.stop()
    const wrong = service.isAlive() ? [] : [`the service ended:\n${service.lastLines()}`]
    wrong.push(...(await unfinishedRows(world.db, world.workspaceId)))
    const rows = await readLedger(world.db, world.workspaceId)
    return [
      ...wrong,
      ...checkLoad(
        result,
        rows.map((row) => row.messageId),
      ),
      ...checkMails(rows, world.mails()),
    ]
  },
}

async function openWorldOn(run: Run, { connectionString }: TestPostgres): Promise<World> {
  const connection = connect({ connectionString })
  run.after(() => connection.end())
  return openWorld(run, { database: { url: connectionString, connection } })
}

/** The supervisor of the embedded PostgreSQL starts it again; recovery takes a moment. */
async function answering({ db, workspaceId }: World, isAnother: () => boolean): Promise<void> {
  await until(async () => {
    try {
      await readLedger(db, workspaceId)
      return isAnother()
    } catch (error) {
      if (!lostConnection(error)) throw error
      return false
    }
  })
}
