/**
 * One scenario for each kind of fault: single mails, a campaign and suppressions go on while it
 * happens.
 */
import { sql } from '../../src/database/client/sql.ts'
import { readLedger, type LedgerRow } from '../support/fault-ledger.ts'
import type { Run } from '../support/fault-world.ts'
import { comes, until } from '../support/until.ts'
import type { Scenario } from '../faults/scenario.ts'
import { hungMs } from './callers.ts'
import { both, over, type Ended, type Fault, type FaultKind } from './faults.ts'
import { hostsOfProcess, serviceHosts, type ServiceHost } from './hosts-world.ts'
import { drop } from './network.ts'
import { playSchedule, type FaultWorld } from './play-schedule.ts'
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
      // A life of the process holds once.
      if (shownAtRecord(run)) await hosts.stop('api')
      const services = await hosts.startAll((host) => {
        const isBroken =
          run.broken !== null && (brokenOn[run.broken] ?? serviceHosts).includes(host)
        const more = [
          ...(isBroken ? [`${run.broken}:broken`] : []),
          ...(host === 'api' && shownAtRecord(run) ? [withheld] : []),
        ]
        return { failpoints: [...slowRecords(100), ...more] }
      })
      const wrong: string[] = []
      // A ledger that comes to no rest is what a broken variant may show: no need to wait long for
      // it.
      const restMs = run.broken === null ? undefined : 15_000
      const playOne = (planned: PlannedFault[]): Promise<string[]> =>
        playSchedule({ ...hosts, services }, planned, restMs).then((played) => played.wrong)
      // A service that does not come back is what a broken variant may show too.
      const asWrong = (error: unknown): string[] => [String(error)]
      for (const planned of plansOf(run, kinds))
        wrong.push(
          ...(await (run.broken === null ? playOne(planned) : playOne(planned).catch(asWrong))),
        )
      return wrong
    },
  }
}

/** Silence is first: it takes long, and a broken variant shows by that alone. */
const plansOf = (run: Run, kinds: FaultKind[]): PlannedFault[][] => [
  ...(kinds.includes('halfOpen') ? [[now(silence(run))]] : []),
  ...(run.broken === 'connect.timeouts'
    ? []
    : Array.from({ length: run.whole ? 10 : 1 }, () => planOf(run, kinds))),
]

/** Each kind twice, of which one begins early and outlasts a lease. */
function planOf(run: Run, kinds: FaultKind[]): PlannedFault[] {
  const shown = shownBy(run, kinds)
  if (shown !== null) return [now(shown)]
  return kinds.flatMap((kind) => {
    const long = { startMs: run.draw.between(200, 600), lengthMs: run.draw.between(2_400, 3_500) }
    return [{ ...planFault(run.draw, kind), ...long }, planFault(run.draw, kind)]
  })
}

/** It has its own beginning and end. */
const now = (fault: Fault): PlannedFault => ({ fault, startMs: 0, lengthMs: 0 })

/**
 * The API's statements, or the answers to them, get lost, until a call that began meanwhile was
 * answered. One that hangs has hung.
 */
function silence({ draw }: Run): Fault {
  const [from = 'api', to = 'database'] = draw.shuffle(['api', 'database'] as const)
  return {
    name: `${from} heard by ${to} no longer`,
    async begin({ callers }) {
      const heal = drop(from, to)
      const before = callers.progress().patient
      await comes(() => callers.progress().patient > before + 1, hungMs + 10_000)
      return heal
    },
  }
}

/**
 * The fault of these kinds by which a broken variant shows, whenever it comes. Null means any does.
 */
function shownBy({ broken }: Run, kinds: FaultKind[]): Fault | null {
  if (broken === 'claims.doubt')
    return lostRecord(kinds.includes('killed') ? killed : kinds.includes('frozen') ? frozen : apart)
  if (broken === 'statements.clock') return killedWithWrongClock
  return broken === 'connect.durable' ? lostCommits : null
}

/** Of all mails, the API holds one between its dot and its record. */
const failpoint = 'hand_off.before_record'
const withheld = `${failpoint}:hold@3`

const shownAtRecord = ({ broken }: Run): boolean =>
  broken === 'claims.doubt' || broken === 'statements.clock'

const killed: Fault = { name: 'api killed', begin: ({ services }) => (services.api.kill(), over) }
const frozen: Fault = { name: 'api frozen', begin: ({ services }) => services.api.freeze() }
const apart: Fault = {
  name: 'api and database apart',
  begin: () => both(drop('api', 'database'), drop('database', 'api')),
}

/**
 * Begins when the sink has the mail that the API has not recorded, and lasts until another process
 * has claimed it.
 */
const lostRecord = ({ name, begin }: Fault): Fault => ({
  name: `${name} before a record`,
  async begin(world) {
    await world.services.api.pausesAt(failpoint)
    const fences = new Map((await unrecorded(world)).map(({ email, fence }) => [email, fence]))
    const end = await begin(world)
    const heal = (): Promise<void> => endPause(world, end)
    await orHealed(
      heal,
      until(async () =>
        (await ledgerOf(world)).some(({ email, fence }) => fence > (fences.get(email) ?? Infinity)),
      ),
    )
    return heal
  },
})

/** The mail that it holds is leased by that clock. */
const killedWithWrongClock: Fault = {
  name: 'api killed while its clock is ten minutes ahead',
  async begin(world) {
    const { services, workspace } = world
    const unskew = services.api.skew(600)
    const heal = (): Promise<void> => endPause(world, unskew)
    const isLeasedAhead = () =>
      workspace.db.count(sql`
        select from recipient where workspace_id = ${workspace.workspaceId} and state = 'leased' and next_at > facteur_now() + interval '5 minutes'`)
    await orHealed(heal, until(isLeasedAhead))
    await services.api.pausesAt(failpoint)
    services.api.kill()
    await until(() => !services.api.isReady())
    return heal
  },
}

/** A fault that does not show ends too: what is played after it finds a sound world. */
async function orHealed(heal: () => Promise<void>, wait: Promise<unknown>): Promise<void> {
  await wait.catch(async (error: unknown) => {
    await heal()
    throw error
  })
}

/** Right after mails were accepted. */
const lostCommits: Fault = {
  name: 'database killed after a 202',
  async begin({ callers, database }) {
    const before = callers.progress().accepted
    await until(() => callers.progress().accepted > before + 2)
    database.kill()
    return over
  },
}

const ledgerOf = ({ workspace }: FaultWorld) => readLedger(workspace.db, workspace.workspaceId)

async function unrecorded(world: FaultWorld): Promise<LedgerRow[]> {
  const sent = new Set(world.mailsOf(world.workspace).flatMap(({ to }) => to))
  return (await ledgerOf(world)).filter(({ email, state }) => state === 'leased' && sent.has(email))
}

/** The next life of the process holds nothing either. */
async function endPause({ services }: FaultWorld, end: Ended): Promise<void> {
  await end()
  await until(() => services.api.isReady())
  services.api.letGo()
}

export const faultScenarios: Scenario[] = [
  scenarioOf('killed', ['killed', 'vanished'], 'processes and machines are killed', [
    'claims.doubt',
  ]),
  scenarioOf('frozen', ['frozen'], 'processes are frozen', ['claims.doubt']),
  scenarioOf('database-killed', ['databaseKilled'], 'the database is killed', ['connect.durable']),
  scenarioOf('apart', ['partitioned', 'unplugged', 'slow'], 'hosts are cut off or slow', [
    'claims.doubt',
  ]),
  scenarioOf('half-open', ['halfOpen'], 'packets pass in one direction only', ['connect.timeouts']),
  scenarioOf(
    'clock-wrong',
    ['clockWrong', 'killedWithWrongClock'],
    'a clock is ten minutes wrong',
    ['statements.clock'],
  ),
  scenarioOf('disk-full', ['diskFull'], 'the disk of the database is full', ['connect.full_disk']),
  scenarioOf('connections-taken', ['connectionsTaken'], 'the database has no connections left', [
    'connect.listener',
  ]),
]
