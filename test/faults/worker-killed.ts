/**
 * Workers killed at random and between claim, data, dot, reply and record, while messages go
 * through the relay to the referee.
 */
import { call, describeEnd } from '../support/fault-calls.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { checkMails, openRows, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import type { Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

/**
 * Between every two steps of a worker: after the claim it is one hit a claim, then one hit a mail.
 */
export const places = [
  'worker.after_claim',
  'hand_off.before_compose',
  'hand_off.before_provider',
  'hand_off.at_mail',
  'hand_off.at_dot',
  'hand_off.after_dot',
  'hand_off.before_record',
  'hand_off.after_record',
]

const batch = 100

export const workerKilled: Scenario = {
  name: 'worker-killed',
  promise:
    'workers killed between claim, data, dot, reply and record: nothing lost, nothing repeated that was not in doubt',
  broken: ['hand_off.order', 'claims.doubt'],
  async play(run) {
    // A mail in fifty is stored and never answered: doubt that comes from the peer.
    const world = await openWorld(run, { dropAfterDot: run.draw.pick([0, 0.02]) })
    const admit = await openAdmission(world)
    for (let mails = 0; mails < (run.whole ? 2_000 : 600); mails += batch) await admit()
    const lives = chooseLives(run)
    const killer = (): Promise<string[]> => killAgainAndAgain(run, world, { lives, admit })
    const wrong = (await Promise.all([killer(), killer()])).flat()
    await world.start({ role: 'worker', settings: connections })
    const open = await unfinishedRows(world.db, world.workspaceId)
    return [
      ...wrong,
      ...open,
      ...checkMails(await readLedger(world.db, world.workspaceId), world.mails()),
    ]
  },
}

const connections = { FACTEUR_SMTP_CONNECTIONS: 5 }

/**
 * Admits a batch each time, by an API whose provider is the capture mailbox, so that no request
 * hands anything over itself.
 */
async function openAdmission(world: World): Promise<() => Promise<void>> {
  const port = await world.serve({ smtpUrl: null })
  let next = 0
  return async () => {
    const body = Array.from({ length: batch }, () => mailTo(world, `mail-${next++}@example.test`))
    const end = await call({
      url: world.addressOf(port),
      apiKey: world.apiKey,
      line: 'POST /api/v1/emails/batch',
      body,
    })
    if (typeof end === 'string' || end.status !== 202)
      throw new Error(`A batch was answered ${describeEnd(end)}`)
  }
}

/** Until the relay has a mail, none is recorded there. */
const unrecorded = 'hand_off.before_record'

/** Where each life ends; null is at random. */
function chooseLives({ seed, whole, broken, draw }: Run): (string | null)[] {
  if (whole) return Array.from({ length: 32 }, () => draw.pick([null, ...places]))
  if (broken === null) return [...thirdOf(places, seed), null]
  return [broken === 'claims.doubt' ? unrecorded : 'hand_off.before_provider']
}

/** One life of a worker after the other; answers what was wrong with their ends. */
async function killAgainAndAgain(
  run: Run,
  world: World,
  { lives, admit }: { lives: (string | null)[]; admit: () => Promise<void> },
): Promise<string[]> {
  const wrong: string[] = []
  for (let failpoint = lives.shift(); failpoint !== undefined; failpoint = lives.shift()) {
    if (run.whole && !(await isWorkLeft(world))) break
    const hits =
      failpoint === 'worker.after_claim'
        ? run.draw.between(1, 12)
        : run.draw.between(1, run.whole ? 80 : 40)
    const holds = run.broken === 'claims.doubt' && failpoint === unrecorded
    const action = holds ? 'hold' : `kill@${hits}`
    const failpoints = failpoint === null ? [] : [`${failpoint}:${action}`]
    const worker = await world.start({ role: 'worker', settings: connections, failpoints })
    if (holds) await until(() => world.mails().length > 0)
    else if (failpoint === null) await Promise.race([worker.ended, run.draw.moment(0, 400)])
    // Where the other worker was quicker, more mails lead this one to its place.
    else
      await until(
        async () =>
          !worker.isAlive() || ((await isWorkLeft(world)) ? false : (await admit(), false)),
      )
    await worker.kill()
    if ((await worker.ended) !== 'SIGKILL')
      wrong.push(`a worker ended by itself:\n${worker.lastLines()}`)
  }
  return wrong
}

const isWorkLeft = async ({ db, workspaceId }: World): Promise<boolean> =>
  (await openRows(db, workspaceId)).length > 0
