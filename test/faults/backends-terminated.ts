/** Connections to PostgreSQL ended at random under load, as a failover or an administrator does. */
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { checkLoad, startLoad } from '../support/fault-load.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { runOn } from '../support/database.ts'
import { restartPort } from '../support/fault-port.ts'
import { comes } from '../support/until.ts'
import type { Scenario } from './scenario.ts'

export const backendsTerminated: Scenario = {
  name: 'backends-terminated',
  promise:
    'backends terminated at random under load: no process ends, every call is answered, every 202 is kept',
  broken: ['connect.listener'],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    const services = [
      await world.start({ role: 'api', port }),
      await world.start({ role: 'worker' }),
    ]
    const load = startLoad(world, { port, clients: 8 })
    await terminateAtRandom(run, world)
    // Without its guard, a process ends a moment after its connection.
    if (run.broken !== null) await comes(() => services.some((service) => !service.isAlive()))
    const result = await load.stop()
    const wrong = services
      .filter((service) => !service.isAlive())
      .map((service) => `a process ended:\n${service.lastLines()}`)
    if (wrong.length === 0) wrong.push(...(await unfinishedRows(world.db, world.workspaceId)))
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

/**
 * Only the service's connections to this database: some a thousand times (eighty in the small
 * size), in the end all of them.
 */
async function terminateAtRandom({ whole, broken, draw }: Run, { url }: World): Promise<void> {
  const [rounds, backendsMin] = broken === null ? [whole ? 1_000 : 80, 20] : [1, 1]
  for (let round = 1, terminated = 0; round <= rounds || terminated < backendsMin; round++) {
    const { rowCount } = await runOn(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'facteur%'
       order by md5(pid::text || '${draw.next()}') ${round < rounds ? `limit ${draw.between(1, 3)}` : ''}`,
    )
    terminated += rowCount ?? 0
    await draw.moment(10, 80)
  }
}
