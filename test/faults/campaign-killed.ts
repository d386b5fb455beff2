/**
 * A campaign (of 20,000 when whole) through the relay to the referee while everything is killed at
 * random: two workers, the API, PostgreSQL and the referee; with pauses, suppressions and
 * unsubscribes meanwhile.
 */
import { connect } from '../../src/database/client/connect.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { callVerb } from '../support/call-verb.ts'
import { checkClaims, noteClaims } from '../support/claim-notes.ts'
import { callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import {
  addressOf,
  draftFor,
  checkCampaign,
  checkCounters,
  readRecipients,
  sample,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { openWorld, type Run, type StartOptions, type World } from '../support/fault-world.ts'
import type { ServiceProcess } from '../support/fault-process.ts'
import { restartPort } from '../support/fault-port.ts'
import { startMigratedPostgres, type TestPostgres } from '../support/postgres.ts'
import type { Scenario } from './scenario.ts'
import { comes, until } from '../support/until.ts'

/**
 * Between every two steps of a batch sender: some are one hit a statement, the others one hit a
 * mail.
 */
export const places = [
  'campaign.after_claim',
  'campaign.before_fill',
  'campaign.before_provider',
  'campaign.at_mail',
  'campaign.at_dot',
  'campaign.dot_allowed',
  'campaign.after_dot',
  'campaign.before_record',
  'campaign.after_record',
]
export const perStatement = new Set([
  'campaign.after_claim',
  'campaign.before_record',
  'campaign.after_record',
])

export const campaignKilled: Scenario = {
  name: 'campaign-killed',
  promise:
    'a campaign while everything is killed: each of the frozen list once, none in silence, and every sample adds up',
  // Each of its invariants is broken on purpose in the smaller scenarios of campaigns.
  broken: [],
  async play(run) {
    const postgres = await startMigratedPostgres()
    run.after(() => postgres.stop())
    const world = await openWorldOn(run, postgres)
    await noteClaims(world, { table: 'campaign_recipient', slowly: false })
    const contacts = run.whole ? 20_000 : 2_000
    const port = await restartPort()
    const api = keepAlive(run, world, port)
    await api.ready
    const id = await draftFor(world, { port, contacts })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || (end.status !== 202 && end.status !== 409))
      return [`the send was answered ${describeEnd(end)}`]
    const frozen = new Set((await readRecipients(world, id)).map(({ email }) => email))
    const samples = sample(world, { port, id })
    const over = new AbortController()
    const meanwhile = Promise.all([
      killWorkers(run, world, over.signal),
      killWorkers(run, world, over.signal),
      killOthers(run, world, { postgres, api, over: over.signal }),
      pauseNowAndThen(run, world, id, over.signal),
      closeAddresses(run, world, { port, contacts, over: over.signal }),
    ])
    // The last workers, which are not killed, send the rest.
    const [wrongOfOne, wrongOfTwo, , , answered] = await meanwhile
    over.abort()
    const open = await whatIsNotSent(world, id)
    const { wrong } = await samples.stop()
    return [
      ...[...wrongOfOne, ...wrongOfTwo, ...api.wrong, ...wrong, ...open],
      ...checkCampaign(await readRecipients(world, id), frozen, world.mails()),
      ...(await checkCounters(world, id)),
      ...(await checkClaims(world, answered)),
    ]
  },
}

async function openWorldOn(run: Run, { connectionString }: TestPostgres): Promise<World> {
  const connection = connect({ connectionString })
  run.after(() => connection.end())
  return openWorld(run, { database: { url: connectionString, connection } })
}

interface KeptAlive {
  ready: Promise<unknown>
  kill(): Promise<void>
  wrong: string[]
}

/** An API process that is started again whenever it was killed. */
function keepAlive(run: Run, world: World, port: number): KeptAlive {
  let ended = false
  run.after(() => Promise.resolve((ended = true)))
  const wrong: string[] = []
  const start = () => startPatiently(world, { role: 'api', port, smtpUrl: null })
  let current = start()
  return {
    ready: current,
    wrong,
    async kill() {
      await (await current).kill()
      if (!ended) current = start()
      await current
    },
  }
}

/** Lives of one worker, each ended at another place or moment; the last one stays. */
async function killWorkers(run: Run, world: World, over: AbortSignal): Promise<string[]> {
  const wrong: string[] = []
  for (let life = 0; life < (run.whole ? 8 : 2) && !over.aborted; life++) {
    const failpoint = run.draw.pick([null, ...places, ...places])
    const hits =
      failpoint !== null && perStatement.has(failpoint)
        ? run.draw.between(3, 60)
        : run.draw.between(50, 1_000)
    const failpoints = failpoint === null ? [] : [`${failpoint}:kill@${hits}`]
    const worker = await startPatiently(world, { role: 'worker', settings, failpoints })
    await Promise.race([worker.ended, run.draw.moment(200, 1_500)])
    await worker.kill()
    if ((await worker.ended) !== 'SIGKILL')
      wrong.push(`a worker ended by itself:\n${worker.lastLines()}`)
  }
  await startPatiently(world, { role: 'worker', settings })
  return wrong
}

/** A process that finds the database away ends and says so: its supervisor starts it again. */
async function startPatiently(world: World, options: StartOptions): Promise<ServiceProcess> {
  const start = () => world.start(options).catch((error: unknown) => String(error))
  const started = await until(start, (observed) => typeof observed !== 'string')
  if (typeof started === 'string') throw new Error(started)
  return started
}

/**
 * Leases are short, so that what a crash leaves is found within the test; temporary refusals are
 * tried again soon.
 */
const settings = { FACTEUR_SMTP_CONNECTIONS: 10 }

async function killOthers(
  run: Run,
  world: World,
  { postgres, api, over }: { postgres: TestPostgres; api: KeptAlive; over: AbortSignal },
): Promise<void> {
  const kinds = run.draw.shuffle([
    'postgres',
    'api',
    'referee',
    ...(run.whole ? ['postgres', 'api', 'referee', 'referee'] : []),
  ])
  for (const kind of kinds) {
    await run.draw.moment(200, 700)
    if (over.aborted) return
    if (kind === 'api') await api.kill()
    if (kind === 'referee') await world.killReferee()
    if (kind === 'postgres') process.kill(postgres.pid(), 'SIGKILL')
  }
}

/** As the command line does it; while the database is away it is tried again. */
async function pauseNowAndThen(
  run: Run,
  world: World,
  id: string,
  over: AbortSignal,
): Promise<void> {
  const ctx = { db: world.db, wake: () => undefined, makeId: makeIds(Date.now) }
  const persistently = (act: () => Promise<unknown>): Promise<boolean> =>
    comes(() =>
      act().then(
        () => true,
        (error: unknown) => error instanceof Error && error.name === 'ApiError',
      ),
    )
  for (let times = 0; times < (run.whole ? 4 : 1) && !over.aborted; times++) {
    await run.draw.moment(300, 1_200)
    await persistently(() => callVerb(ctx, world.workspaceId, 'pauseCampaign', { params: { id } }))
    await run.draw.moment(50, 300)
    await persistently(() => callVerb(ctx, world.workspaceId, 'resumeCampaign', { params: { id } }))
  }
}

/** Suppressions and unsubscribes by the API; answers when each call had answered. */
async function closeAddresses(
  run: Run,
  world: World,
  { port, contacts, over }: { port: number; contacts: number; over: AbortSignal },
): Promise<Map<string, number>> {
  const answered = new Map<string, number>()
  for (let times = 0; times < (run.whole ? 300 : 60) && !over.aborted; times++) {
    const email = addressOf(run.draw.between(1, contacts))
    const requested = { url: world.addressOf(port), apiKey: world.apiKey }
    const end =
      times % 2 === 0
        ? await callUntilAnswered({
            ...requested,
            line: 'POST /api/v1/suppression',
            body: { email },
          })
        : await callUntilAnswered({
            ...requested,
            line: `DELETE /api/v1/subscribers/${encodeURIComponent(email)}`,
          })
    if (typeof end !== 'string' && end.status < 300) answered.set(email, Date.now())
    await run.draw.moment(5, 30)
  }
  return answered
}
