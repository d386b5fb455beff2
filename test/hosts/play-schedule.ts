/** Plays one schedule of faults under load in a world of hosts, and answers what was broken. */
import { passesLater } from '../../src/database/client/database-errors.ts'
import { callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import {
  draftFor,
  readRecipients,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { type FaultWorkspace } from '../support/fault-world.ts'
import { until } from '../support/until.ts'
import { startCallers, type Callers } from './callers.ts'
import { checkPromises } from './checks.ts'
import { serviceHosts, type HostsWorld, type Services } from './hosts-world.ts'
import { noFigures, playFaults, type PlannedFault, type PlayedSchedule } from './schedule.ts'

/** A world whose services run. */
export type PlayedWorld = HostsWorld & { services: Services }

/** What a fault finds: the workspace of its schedule, and who calls. */
export type FaultWorld = PlayedWorld & { workspace: FaultWorkspace; callers: Callers }

export async function playSchedule(
  world: PlayedWorld,
  planned: PlannedFault[],
  restMs?: number,
): Promise<Pick<PlayedSchedule, 'wrong' | 'figures'>> {
  const workspace = await world.openWorkspace()
  const id = await draftFor(workspace, { port: 0, contacts: subscribers })
  const end = await sendUntilAnswered(workspace, 0, id)
  if (typeof end === 'string' || (end.status !== 202 && end.status !== 409))
    throw new Error(`The send was answered ${describeEnd(end)}`)
  const frozen = new Set((await readRecipients(workspace, id)).map(({ email }) => email))
  const callers = startCallers(
    workspace,
    [...frozen].slice(-suppressedMax),
    world.services.api.lives,
  )
  const result = await playBeside(callers, async () => {
    await playFaults({ ...world, workspace, callers }, planned)
    await allAnswer(world, workspace)
    return callers.stop(restMs)
  })
  const ended = serviceHosts.flatMap((host) => world.services[host].ends.splice(0))
  const open = await unfinishedRows(workspace.db, workspace.workspaceId, restMs)
  if (open.length === 0) open.push(...(await whatIsNotSent(workspace, id, restMs)))
  // Before it is at rest, the ledger and the sink may differ.
  if (open.length > 0)
    return {
      wrong: [...ended, ...open, ...result.wrong],
      figures: { ...noFigures, accepted: result.accepted.size },
    }
  const mails = world.mailsOf(workspace)
  const rows = await readLedger(workspace.db, workspace.workspaceId)
  const recipients = await readRecipients(workspace, id)
  const wrong = [
    ...ended,
    ...open,
    ...(await checkPromises({ workspace, id, frozen, callers: result, mails, rows, recipients })),
  ]
  const doubtful =
    rows.filter(({ doubts }) => doubts > 0).length +
    recipients.filter(({ state }) => state === 'in_doubt').length
  const figures = {
    accepted: result.accepted.size,
    sent: mails.length,
    doubts: doubtful,
    refusals: result.refusals,
  }
  return { wrong, figures }
}

const [subscribers, suppressedMax] = [80, 10]

/** Calls that go on would keep the process alive for ever. */
async function playBeside<T>(callers: Callers, play: () => Promise<T>): Promise<T> {
  try {
    return await play()
  } catch (error) {
    callers.abandon()
    throw error
  }
}

/**
 * Until the database, each process of the service and the API work again: their supervisors start
 * them.
 */
async function allAnswer(
  { database, services }: PlayedWorld,
  workspace: FaultWorkspace,
): Promise<void> {
  await database.answers()
  await until(() => serviceHosts.every((host) => services[host].isReady()))
  await until(() => readLedger(workspace.db, workspace.workspaceId).catch(nullIfLost))
  const requested = {
    url: workspace.addressOf(0),
    apiKey: workspace.apiKey,
    line: 'GET /api/v1/me',
  }
  // A process that lost the database says 503 until it sees it again.
  const end = await until(
    () => callUntilAnswered(requested),
    (last) => typeof last === 'string' || last.status !== 503,
  )
  if (typeof end === 'string' || end.status !== 200)
    throw new Error(`After all faults the API answered ${describeEnd(end)}`)
}

/** Sessions of a machine that vanished hold the server's connections for a while. */
function nullIfLost(error: unknown): null {
  if (passesLater(error)) return null
  throw error
}
