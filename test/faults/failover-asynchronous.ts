/**
 * A failover to a standby that no commit waits for: only calls of the last moment are lost, and the
 * service goes on.
 */
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { startReplicated } from '../support/replicated-postgres.ts'
import { until } from '../support/until.ts'
import { lostCalls, openWorldOn, startCallers } from './failover.ts'
import type { Scenario } from './scenario.ts'

export const failoverAsynchronous: Scenario = {
  name: 'failover-asynchronous',
  promise:
    'A failover with an asynchronous standby: no 202 is lost that came before the standby fell behind, and the service goes on',
  broken: [],
  async play(run) {
    const postgres = await startReplicated(
      { after: (end) => run.after(end) },
      { synchronous: false },
    )
    const world = await openWorldOn(run, postgres)
    const port = await restartPort()
    const service = await world.start({ role: 'all', port })
    const load = startCallers(world, port)
    await load.goesOn(run.whole ? 400 : 40)
    const [former, standby] = [postgres.primary(), postgres.standby()]
    const knownMs = Date.now()
    const settled = new Set(
      (await readLedger(world.db, world.workspaceId))
        .filter(({ state }) => state === 'settled')
        .map(({ email }) => email),
    )
    const { lsn } = await former.ask('select pg_current_wal_insert_lsn()::text as lsn')
    await until(
      async () =>
        (
          await standby.ask(
            `select pg_last_wal_receive_lsn() >= '${String(lsn)}'::pg_lsn as "hasIt"`,
          )
        )['hasIt'],
    )
    // No commit waits for it: the primary goes on alone.
    standby.signal('SIGSTOP')
    await load.goesOn(20)
    await run.draw.moment(0, 500)
    await former.kill()
    standby.signal('SIGCONT')
    await postgres.promote()
    await load.goesOn(20)
    const lost = await lostCalls(world, load)
    await load.stop()
    const wrong = [...load.wrong]
    if (!service.isAlive()) wrong.push('the service ended')
    for (const { id, to, atMs } of lost)
      if (atMs < knownMs)
        wrong.push(
          `lost: ${to} was answered 202 with ${id} ${knownMs - atMs} ms before the standby had all`,
        )
    wrong.push(...(await unfinishedRows(world.db, world.workspaceId)))
    if (settled.size === 0) wrong.push('nothing was sent before')
    // What the new primary does not know to have left may leave again; what it knows may not.
    const isKnown = (email: string): boolean => settled.has(email)
    const rows = (await readLedger(world.db, world.workspaceId)).filter(({ email }) =>
      isKnown(email),
    )
    wrong.push(
      ...checkMails(
        rows,
        world.mails().filter(({ to }) => to.every(isKnown)),
      ),
    )
    if (run.broken === null)
      console.log(`  asynchronous: ${lost.length} of ${load.accepted.size} calls lost`)
    return wrong.length === 0 ? [] : [...wrong, `the service said last:\n${service.lastLines()}`]
  },
}
