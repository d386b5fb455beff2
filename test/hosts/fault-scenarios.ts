/** One scenario for each kind of fault: single mails, a campaign and suppressions go on while it happens. */
import type { Run } from '../support/fault-world.ts'
import type { Scenario } from '../faults/scenario.ts'
import type { FaultKind } from './faults.ts'
import { hostsOfProcess, serviceHosts, type ServiceHost } from './hosts-world.ts'
import { drop } from './network.ts'
import { playSchedule } from './play-schedule.ts'
import { planFault, slowRecords, type PlannedFault } from './schedule.ts'

/** Where a guard has its place: the other processes need not be started again without it. */
const brokenOn: Record<string, readonly ServiceHost[]> = {
  'claims.doubt': ['worker-a', 'worker-b'],
  'connect.full_disk': ['api'],
  'connect.listener': ['api'],
  'connect.timeouts': ['api'],
}

const promise =
  'no call hangs, every 202 is in the ledger and its mail arrives, or the ledger says why not or that it is in doubt'

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
      const playOne = (planned: PlannedFault[]): Promise<string[]> =>
        playSchedule({ ...hosts, services }, planned, restMs).then((played) => played.wrong)
      // A service that does not come back is what a broken variant may show too.
      const asWrong = (error: unknown): string[] => [String(error)]
      for (const planned of plansOf(run, kinds))
        wrong.push(...(await (run.broken === null ? playOne(planned) : playOne(planned).catch(asWrong))))
      return wrong
    },
  }
}

/** Silence is first: it takes long, and a broken variant shows by that alone. */
const plansOf = (run: Run, kinds: FaultKind[]): PlannedFault[][] => [
  ...(kinds.includes('halfOpen') ? [[silence(run)]] : []),
  ...(run.broken === 'connect.timeouts' ? [] : Array.from({ length: run.whole ? 10 : 1 }, () => planOf(run, kinds))),
]

/** For longer than a caller waits: the API's statements, or the answers to them, get lost. */
function silence({ draw }: Run): PlannedFault {
  const [from, to] = draw.shuffle(['api', 'database'] as const)
  const name = `${from} heard by ${to} no longer`
  return { fault: { name, begin: () => drop(from ?? 'api', to ?? 'database') }, startMs: 500, lengthMs: silenceMs }
}

const silenceMs = 36_000

/**
 * Each kind twice, of which one begins early and outlasts a lease. A lost doubt shows only where a fault meets a mail between its
 * dot and its record, so that there are three of those, one after the other.
 */
const planOf = ({ draw, broken }: Run, kinds: FaultKind[]) =>
  kinds.flatMap((kind) => {
    const long = (earliestMs: number): PlannedFault => ({
      ...planFault(draw, kind),
      ...{ startMs: draw.between(earliestMs, earliestMs + 400), lengthMs: draw.between(2_400, 3_500) },
    })
    return broken === 'claims.doubt' ? [long(200), long(4_200), long(8_200)] : [long(200), planFault(draw, kind)]
  })

export const faultScenarios: Scenario[] = [
  scenarioOf('killed', ['killed', 'vanished'], 'processes and machines are killed', ['claims.doubt']),
  scenarioOf('frozen', ['frozen'], 'processes are frozen', ['claims.doubt']),
  scenarioOf('database-killed', ['databaseKilled'], 'the database is killed', ['connect.durable']),
  scenarioOf('apart', ['partitioned', 'unplugged', 'slow'], 'hosts are cut off or slow', ['claims.doubt']),
  scenarioOf('half-open', ['halfOpen'], 'packets pass in one direction only', ['connect.timeouts']),
  scenarioOf('clock-wrong', ['clockWrong', 'killedWithWrongClock'], 'a clock is ten minutes wrong', ['statements.clock']),
  scenarioOf('disk-full', ['diskFull'], 'the disk of the database is full', ['connect.full_disk']),
  scenarioOf('connections-taken', ['connectionsTaken'], 'the database has no connections left', ['connect.listener']),
]
