/** The whole service in one process, killed at random under load and started again. */
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { checkLoad, startLoad } from '../support/fault-load.ts'
import { restartPort } from '../support/fault-port.ts'
import { openWorld } from '../support/fault-world.ts'
import type { Scenario } from './scenario.ts'

export const serviceKilled: Scenario = {
  name: 'service-killed',
  promise:
    'the service killed under load: every 202 is kept, its mail arrives, and nothing is doubled in silence',
  broken: ['hand_off.order'],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    // A broken order shows where a life ends between the record and the provider.
    const failpoints = run.broken === null ? [] : ['hand_off.before_provider:kill@20']
    let service = await world.start({ role: 'all', port, failpoints })
    const load = startLoad(world, { port, clients: 8 })
    for (let kills = 0; kills < (run.whole ? 12 : 2); kills++) {
      if (kills === 0 && run.broken !== null) await service.ended
      else await load.goesOn(run.draw.between(1, 40))
      await service.kill()
      service = await world.start({ role: 'all', port })
    }
    await load.goesOn(20)
    const result = await load.stop()
    const open = await unfinishedRows(world.db, world.workspaceId)
    const rows = await readLedger(world.db, world.workspaceId)
    const ids = rows.map((row) => row.messageId)
    return [...open, ...checkLoad(result, ids), ...checkMails(rows, world.mails())]
  },
}
