/**
 * A worker that the network cuts off from the database beyond its lease, while it still reaches the
 * sink. Another worker takes its mails over. The first sends none of them any more, and a mail that
 * it had sent before is repeated with a doubt in the ledger.
 */
import { checkMails, readLedger, type LedgerRow } from '../support/fault-ledger.ts'
import type { FaultWorkspace, Run } from '../support/fault-world.ts'
import { until } from '../support/until.ts'
import type { Scenario } from '../faults/scenario.ts'
import { admitMails, openCaptureApi } from './admit-mails.ts'
import { hostsOfProcess, type HostsWorld } from './hosts-world.ts'
import { connectionsBetween, drop, type Heal } from './network.ts'

/**
 * What the worker waits for when it is cut off: the sink's greeting, or the answer of the database
 * to its records.
 */
const places = ['greeting', 'record'] as const
type CutPoint = (typeof places)[number]

const mails = 8

export const partitionedWorker: Scenario = {
  name: 'partitioned-worker',
  promise:
    'a worker cut off from the database beyond its lease, which reaches the sink, sends no second copy in silence',
  broken: ['lease.watch', 'claims.doubt'],
  async play(run) {
    const wrong: string[] = []
    for (const failpoint of choosePlaces(run)) {
      const result = await playPartition(run, failpoint)
      wrong.push(...result.map((what) => `cut off before the ${failpoint}: ${what}`))
    }
    return wrong
  },
}

function choosePlaces({ broken, whole, seed }: Run): readonly CutPoint[] {
  if (broken === 'lease.watch') return ['greeting']
  if (broken === 'claims.doubt') return ['record']
  return whole ? places : [places[seed % places.length] ?? 'record']
}

async function playPartition(run: Run, failpoint: CutPoint): Promise<string[]> {
  const hosts = await hostsOfProcess()
  await hosts.stopServices()
  const workspace = await hosts.openWorkspace()
  const api = await openCaptureApi(run, workspace)
  const options = {
    settings: { FACTEUR_SMTP_CONNECTIONS: mails },
    failpoints: run.broken === null ? [] : [`${run.broken}:broken`],
  }
  await admitMails(
    workspace,
    api,
    Array.from({ length: mails }, (_, index) => `mail-${index}@${workspace.recipientDomain}`),
  )
  const freezeSink = (): Heal => {
    const thaw = hosts.sink.freeze()
    run.after(async () => thaw())
    return thaw
  }
  const greet = freezeSink()
  // A worker that vanished in another scenario has left its half of some.
  const left = connectionsBetween('worker-a', 'sink')
  await hosts.start('worker-a', options)
  // It has read the mails, too, when it waits for the sink with all of them.
  await until(
    () => connectionsBetween('worker-a', 'sink'),
    (count) => count === left + mails,
  )
  const claimed = await readLedger(workspace.db, workspace.workspaceId)
  const heals = [drop('worker-a', 'database'), drop('database', 'worker-a')]
  run.after(async () => heals.forEach((heal) => heal()))
  if (failpoint === 'record') await untilSent(hosts, workspace, greet)
  const freezeOther = failpoint === 'record' ? freezeSink() : greet
  await hosts.start('worker-b', options)
  await untilRows(
    workspace,
    (row, index) => row.state === 'leased' && row.fence > (claimed[index]?.fence ?? 0),
  )
  // Now both have what they wait for: the first worker still without the database.
  freezeOther()
  await untilRows(workspace, isFinal)
  for (const heal of heals) heal()
  return whatIsWrong(hosts, workspace, failpoint, await untilFirstIsBack(hosts, workspace, api))
}

/** Once it has sent a later mail, alone, it has read all that it was answered before. */
async function untilFirstIsBack(
  hosts: HostsWorld,
  workspace: FaultWorkspace,
  api: string,
): Promise<LedgerRow[]> {
  const later = 'later@example.test'
  await hosts.stop('worker-b')
  await admitMails(workspace, api, [later])
  const rows = await untilRows(workspace, isFinal)
  return rows.filter(({ email }) => email !== later)
}

function whatIsWrong(
  hosts: HostsWorld,
  workspace: FaultWorkspace,
  failpoint: CutPoint,
  rows: LedgerRow[],
): string[] {
  const received = hosts
    .mailsOf(workspace)
    .filter(({ to }) => rows.some(({ email }) => to.includes(email)))
  const wrong = checkMails(rows, received)
  const expected = failpoint === 'greeting' ? mails : 2 * mails
  if (received.length !== expected)
    wrong.push(`the sink has ${received.length} mails, not ${expected}`)
  return wrong
}

const isFinal = ({ state }: LedgerRow): boolean => state === 'settled'

const untilRows = (
  { db, workspaceId }: FaultWorkspace,
  isSo: (row: LedgerRow, index: number) => boolean,
): Promise<LedgerRow[]> =>
  until(
    () => readLedger(db, workspaceId),
    (rows) => rows.every(isSo),
  )

/** The sink goes on, and has them all. */
async function untilSent(hosts: HostsWorld, workspace: FaultWorkspace, greet: Heal): Promise<void> {
  greet()
  await until(
    () => hosts.mailsOf(workspace).length,
    (count) => count === mails,
  )
}
