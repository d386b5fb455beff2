/**
 * A worker frozen past its lease (SIGSTOP) and thawed while another holds its recipients: it writes
 * nothing and begins nothing.
 */
import { sql } from '../../src/database/client/sql.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { callVerb } from '../support/call-verb.ts'
import { draftFor, readRecipients, sendUntilAnswered } from '../support/fault-campaign.ts'
import { call, describeEnd } from '../support/fault-calls.ts'
import { readLedger } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import {
  startScriptedPeer,
  type Behaviour,
  type PeerPhase,
  type ScriptedPeer,
} from '../support/scripted-peer.ts'
import type { Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

const contacts = 4
/** As of the frozen worker of single mails. */
const settings = { FACTEUR_SMTP_CONNECTIONS: 8, FACTEUR_LEASE_SECONDS: 6 }

export const campaignFrozen: Scenario = {
  name: 'campaign-frozen',
  promise:
    "a campaign's worker frozen past its lease writes nothing, and begins no final dot; whom nothing left for go by another",
  broken: ['campaigns.fence', 'lease.watch'],
  async play(run) {
    const wrong: string[] = []
    for (const failpoint of choosePlaces(run))
      wrong.push(
        ...(await playFreeze(run, failpoint)).map(
          (what) => `frozen before the answer to ${failpoint}: ${what}`,
        ),
      )
    return wrong
  },
}

/**
 * Before the answer to DATA, between the word of the database that the dot may be written and the
 * dot, before the answer to it.
 */
const allPlaces = ['data', 'allowed', 'dot'] as const
type FreezePoint = (typeof allPlaces)[number]

/**
 * Past the dot nothing is left to watch. Before its record the removed batch sender stops it, not
 * the watch alone.
 */
function choosePlaces({ seed, whole, broken }: Run): readonly FreezePoint[] {
  if (broken !== null) return [broken === 'lease.watch' ? 'allowed' : 'dot']
  return whole ? allPlaces : allPlaces.filter((_, index) => index === seed % allPlaces.length)
}

async function playFreeze(run: Run, failpoint: FreezePoint): Promise<string[]> {
  const world = await openWorld(run)
  const port = await world.serve({ smtpUrl: null })
  const id = await draftFor(world, { port, contacts })
  const answer = { data: '354 go on', allowed: '', dot: '250 2.0.0 taken' }[failpoint]
  const reached = { slow: 0, holding: 0 }
  // The answers come while it is frozen, however long the mails take to get there.
  const frozen = Promise.withResolvers<void>()
  const slow = await openPeer(run, (phase) => {
    if (phase !== failpoint) return undefined
    reached.slow++
    return { say: answer, after: frozen.promise }
  })
  const paused = await openPeer(run, (phase) => {
    if (phase !== 'dot') return undefined
    reached.holding++
    return 'hang'
  })
  const failpoints = failpoint === 'allowed' ? ['campaign.dot_allowed:hold'] : []
  const zombie = await world.start({
    role: 'worker',
    smtpUrl: addressOf(slow),
    settings,
    failpoints,
  })
  const end = await sendUntilAnswered(world, port, id)
  if (typeof end === 'string' || end.status !== 202)
    return [`the send was answered ${describeEnd(end)}`]
  if (failpoint === 'allowed') await untilAllowed(world)
  else await slow.until(() => reached.slow >= contacts)
  zombie.signal('SIGSTOP')
  frozen.resolve()
  zombie.letGo()
  const other = await world.start({ role: 'worker', smtpUrl: addressOf(paused), settings })
  if (failpoint !== 'data') {
    await until(
      () => readRecipients(world, id),
      (rows) => rows.every(({ state }) => state === 'in_doubt'),
    )
    await callVerb(
      { db: world.db, wake: () => undefined, makeId: makeIds(Date.now) },
      world.workspaceId,
      'releaseInDoubtRecipients',
      {
        params: { id },
      },
    )
  }
  await paused.until(() => reached.holding >= contacts)
  const before = { rows: await readRecipients(world, id), mails: slow.mails.length }
  const requests = [...slow.requests]
  zombie.signal('SIGCONT')
  // It drops or sends the mails that it has: each of their connections is done.
  if (failpoint === 'allowed')
    await until(() => slow.mails.length > before.mails || requests.every(({ ended }) => ended))
  // It reads the old answers first: it has recorded those when a later mail of its own is recorded.
  await untilItSendsLater(world, port, slow)
  const after = {
    rows: await readRecipients(world, id),
    mails: slow.mails.filter((mail) => !isLater(mail)).length,
  }
  const wrong = [zombie, other]
    .filter((process) => !process.isAlive())
    .map((process) => `a process ended:\n${process.lastLines()}`)
  for (const [index, row] of before.rows.entries()) {
    const [was, is] = [JSON.stringify(row), JSON.stringify(after.rows[index])]
    if (was !== is) wrong.push(`it wrote: ${was} became ${is}`)
  }
  if (failpoint !== 'dot' && after.mails !== before.mails)
    wrong.push(`it sent ${after.mails - before.mails} mails after its lease`)
  return wrong
}

const untilAllowed = ({ db }: World): Promise<number> =>
  until(() => db.count(sql`select from batch_sender where cardinality(at_dot) >= ${contacts}`))

const isLater = ({ to }: { to: string[] }): boolean =>
  to.some((address) => address.startsWith('later-'))

/**
 * Mails beside the campaign, one after the other, until the worker of this peer has sent one; what
 * the other one takes hangs.
 */
async function untilItSendsLater(
  world: World,
  port: number,
  { mails }: ScriptedPeer,
): Promise<void> {
  let count = 0
  await until(async () => {
    const body = [mailTo(world, `later-${count++}@example.test`)]
    const end = await call({
      url: world.addressOf(port),
      apiKey: world.apiKey,
      line: 'POST /api/v1/emails/batch',
      body,
    })
    if (typeof end === 'string' || end.status !== 202)
      throw new Error(`A batch was answered ${describeEnd(end)}`)
    const taken = new Set(mails.flatMap(({ to }) => to))
    return (await readLedger(world.db, world.workspaceId)).some(
      ({ email, status }) => taken.has(email) && status === 'sent',
    )
  })
}

async function openPeer(run: Run, script: (phase: PeerPhase) => Behaviour): Promise<ScriptedPeer> {
  const peer = await startScriptedPeer({ script: ({ phase }) => script(phase) })
  run.after(() => peer.close())
  return peer
}

const addressOf = ({ port }: ScriptedPeer): string => `smtp://127.0.0.1:${port}?tls=none`
