/** One scenario for each kind of fault: single mails, a campaign and suppressions go on while it happens. */
import type { Run } from '../support/fault-world.ts'
import type { Scenario } from '../faults/scenario.ts'
import type { FaultKind } from './faults.ts'
import { hostsOfProcess, serviceHosts, type ServiceHost } from './hosts-world.ts'
import { playSchedule } from './play-schedule.ts'
import { planFault, slowRecords } from './schedule.ts'

/** Where a guard has its place: the other processes need not be started again without it. */
const brokenOn: Record<string, readonly ServiceHost[]> = {
  'claims.doubt': ['worker-a', 'worker-b'],
  'send.key': ['api'],
  'connect.full_disk': ['api'],
  'connect.listener': ['api'],
}

const promise = 'every 202 is in the ledger and its mail arrives, or the ledger says why not or that it is in doubt'

function scenarioOf(name: string, kinds: FaultKind[], happens: string, broken: string[]): Scenario {
  return {
    name: `hosts-${name}`,
    promise: `${happens}: ${promise}`,
    broken,
    async play(run) {
      const hosts = await hostsOfProcess()
      const services = await hosts.startAll((host) => {
        const isBroken = run.broken !== null && (brokenOn[run.broken] ?? serviceHosts).includes(host)
        return { failpoints: [...slowRecords(100), ...(isBroken ? [`${run.broken}:broken`] : [])] }
      })
      const wrong: string[] = []
      // A ledger that comes to no rest is what a broken variant may show: no need to wait long for it.
      const restMs = run.broken === null ? undefined : 15_000
      for (let schedules = 0; schedules < (run.whole ? 10 : 1); schedules++)
        wrong.push(...(await playSchedule({ ...hosts, services }, planOf(run, kinds), restMs)).wrong)
      return wrong
    },
  }
}

/** Each kind twice, of which one begins early and outlasts a lease. */
const planOf = ({ draw }: Run, kinds: FaultKind[]) =>
  kinds.flatMap((kind) => [
    { ...planFault(draw, kind), startMs: draw.between(200, 600), lengthMs: draw.between(2_400, 3_500) },
    planFault(draw, kind),
  ])

export const faultScenarios: Scenario[] = [
  scenarioOf('killed', ['killed', 'vanished'], 'processes and machines are killed', ['claims.doubt']),
  scenarioOf('frozen', ['frozen'], 'processes are frozen', ['claims.doubt']),
  scenarioOf('database-killed', ['databaseKilled'], 'the database is killed', ['connect.durable']),
  // Its broken variants are those of partitioned-worker.ts.
  scenarioOf('apart', ['partitioned', 'unplugged', 'slow'], 'hosts are cut off or slow', []),
  scenarioOf('half-open', ['halfOpen'], 'packets pass in one direction only', ['send.key']),
  scenarioOf('clock-wrong', ['clockWrong', 'killedWithWrongClock'], 'a clock is ten minutes wrong', ['statements.clock']),
  scenarioOf('disk-full', ['diskFull'], 'the disk of the database is full', ['connect.full_disk']),
  scenarioOf('connections-taken', ['connectionsTaken'], 'the database has no connections left', ['connect.listener']),
]
