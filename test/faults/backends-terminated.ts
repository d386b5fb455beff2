/** Connections to PostgreSQL ended at random under load, as a failover or an administrator does. */
import { checkMails, readLedger, whatDoesNotSettle } from '../support/fault-ledger.ts'
import { checkLoad, startLoad } from '../support/fault-load.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { runOn } from '../support/database.ts'
import { restartPort } from '../support/fault-port.ts'
import { nothingShown, type Scenario } from './scenario.ts'

export const backendsTerminated: Scenario = {
  name: 'backends-terminated',
  promise: 'backends terminated at random under load: no process ends, every call is answered, every 202 is kept',
  broken: ['connect.listener'],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    const services = [await world.start({ role: 'api', port }), await world.start({ role: 'worker' })]
    const load = startLoad(world, { port, clients: 8 })
    const terminated = await terminateAtRandom(run, world)
    const result = await load.stop()
    const wrong = services.filter((service) => !service.isAlive()).map((service) => `a process ended:\n${service.lastLines()}`)
    if (terminated < 20) wrong.push(`only ${terminated} backends were terminated${nothingShown}`)
    if (wrong.length === 0) wrong.push(...(await whatDoesNotSettle(world.db, world.workspaceId, 30_000)))
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

/** Some a thousand times (eighty in the small size); answers how many. Only the service's connections to this database. */
async function terminateAtRandom({ whole, draw }: Run, { url }: World): Promise<number> {
  let terminated = 0
  for (let round = 0; round < (whole ? 1_000 : 80); round++) {
    const { rowCount } = await runOn(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'facteur%'
       order by md5(pid::text || '${draw.next()}') limit ${draw.between(1, 3)}`,
    )
    terminated += rowCount ?? 0
    await draw.moment(10, 80)
  }
  return terminated
}
