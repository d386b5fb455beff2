/**
 * A worker frozen past its lease (SIGSTOP) and thawed while another holds its rows: it writes
 * nothing and begins nothing.
 */
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

/**
 * Where the worker waits for its relay when it is frozen; the answer comes while it is, and is the
 * first thing that it reads.
 */
const places = ['ehlo', 'data', 'dot'] as const
type FreezePoint = (typeof places)[number]

const mails = 4
/**
 * Its own clock has to see the lease end; shorter ones end on a busy machine before it is frozen.
 */
const settings = { FACTEUR_SMTP_CONNECTIONS: mails, FACTEUR_LEASE_SECONDS: 6 }

export const workerFrozen: Scenario = {
  name: 'worker-frozen',
  promise: 'a worker frozen past its lease writes nothing, and begins no MAIL and no final dot',
  broken: ['outcomes.fence', 'lease.watch'],
  async play(run) {
    const wrong: string[] = []
    for (const failpoint of choosePlaces(run)) {
      wrong.push(
        ...(await playFreeze(run, failpoint)).map(
          (what) => `frozen before the answer to ${failpoint}: ${what}`,
        ),
      )
    }
    return wrong
  },
}

/**
 * What was sent is written without the fence, and a content goes on to its dot without the watch.
 */
function choosePlaces({ seed, whole, broken }: Run): readonly FreezePoint[] {
  if (broken !== null) return [broken === 'lease.watch' ? 'data' : 'dot']
  return whole ? places : [places[seed % places.length] ?? 'dot']
}

async function playFreeze(run: Run, failpoint: FreezePoint): Promise<string[]> {
  const world = await openWorld(run)
  await admitMails(
    world,
    Array.from({ length: mails }, (_, index) => `mail-${index}@example.test`),
  )
  // The answers come while it is frozen, however long the mails take to get there.
  const frozen = Promise.withResolvers<void>()
  const slow = await openPeer(run, (phase) =>
    phase === failpoint ? { say: answers[failpoint], after: frozen.promise } : undefined,
  )
  const paused = await openPeer(run, (phase) => (phase === 'dot' ? 'hang' : undefined))

  const zombie = await world.start({ role: 'worker', smtpUrl: addressOf(slow.peer), settings })
  await allReach(slow, failpoint)
  zombie.signal('SIGSTOP')
  frozen.resolve()
  const longLease = { ...settings, FACTEUR_LEASE_SECONDS: 3_600 }
  const other = await world.start({
    role: 'worker',
    smtpUrl: addressOf(paused.peer),
    settings: longLease,
  })
  await allReach(paused, 'dot')
  // Its leases outlive it, so that only the first worker can write from here on.
  await other.kill()

  const before = { rows: await readLedger(world.db, world.workspaceId), begun: begunAt(slow.peer) }
  zombie.signal('SIGCONT')
  // It reads the old answers first: it has recorded those when a later mail of its own is recorded.
  await admitMails(world, ['later@example.test'])
  const after = await until(
    async () => ({
      rows: await readLedger(world.db, world.workspaceId),
      begun: begunAt(slow.peer),
    }),
    ({ rows }) =>
      rows.some(({ email, state }) => email === 'later@example.test' && state === 'settled'),
  )

  const wrong = zombie.isAlive() ? [] : [`the worker ended:\n${zombie.lastLines()}`]
  for (const [index, row] of before.rows.entries()) {
    const [was, is] = [JSON.stringify(row), JSON.stringify(after.rows[index])]
    if (was !== is) wrong.push(`it wrote: ${was} became ${is}`)
  }
  if (after.begun !== before.begun)
    wrong.push(`it began: ${before.begun} became ${after.begun}, without the later mail`)
  return wrong
}

const answers: Record<FreezePoint, string> = {
  ehlo: '250-slow.test\n250 PIPELINING',
  data: '354 go on',
  dot: '250 2.0.0 taken',
}

interface Peer {
  peer: ScriptedPeer
  /** How often a phase was reached. */
  reached(phase: PeerPhase): number
}

async function openPeer(run: Run, behave: (phase: PeerPhase) => Behaviour): Promise<Peer> {
  const counts = new Map<PeerPhase, number>()
  const peer = await startScriptedPeer({
    script: ({ phase }) => {
      counts.set(phase, (counts.get(phase) ?? 0) + 1)
      return behave(phase)
    },
  })
  run.after(() => peer.close())
  return { peer, reached: (phase) => counts.get(phase) ?? 0 }
}

/** Each mail in a connection of its own. */
const allReach = ({ reached }: Peer, phase: PeerPhase): Promise<number> =>
  until(
    () => reached(phase),
    (count) => count >= mails,
  )

const addressOf = ({ port }: ScriptedPeer): string => `smtp://127.0.0.1:${port}?tls=none`

/** Transactions and contents that reached a peer, without those of the later mail. */
function begunAt({ requests, mails: taken }: ScriptedPeer): string {
  const laterMails = taken.filter(({ to }) => to.includes('later@example.test')).length
  const started = requests
    .flatMap((request) => request.lines)
    .filter((line) => line.startsWith('MAIL')).length
  return `${started - laterMails} MAIL, ${taken.length - laterMails} mails`
}

/** Admitted by an API whose provider is the capture mailbox; it hands nothing over itself. */
async function admitMails(world: World, addresses: string[]): Promise<void> {
  const port = await world.serve({ smtpUrl: null })
  const body = addresses.map((address) => mailTo(world, address))
  const end = await call({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/emails/batch',
    body,
  })
  if (typeof end === 'string' || end.status !== 202)
    throw new Error(`A batch was answered ${describeEnd(end)}`)
}
