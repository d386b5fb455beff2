/** Workers killed at random and between claim, data, dot, reply and record, while messages go through the relay to the referee. */
import { call, tellEnd } from '../support/fault-calls.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { checkMails, readLedger, whatDoesNotSettle } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { settlesWithin } from '../support/until.ts'

/** Between every two steps of a worker: after the claim it is one hit a claim, then one hit a mail. */
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
  promise: 'workers killed between claim, data, dot, reply and record: nothing lost, nothing repeated that was not in doubt',
  broken: ['hand_off.order', 'claims.doubt'],
  async play(run) {
    // A mail in fifty is stored and never answered: doubt that comes from the peer.
    const world = await openWorld(run, { dropAfterDot: run.draw.pick([0, 0.02]) })
    await admitMails(world, run.whole ? 2_000 : 600)
    const lives = chooseLives(run)
    const ends = await Promise.all([killAgainAndAgain(run, world, lives), killAgainAndAgain(run, world, lives)])
    const wrong = ends.flatMap((end) => end.wrong)
    if (ends.every(({ reached }) => reached === 0)) wrong.push(`no place was reached${nothingShown}`)
    await world.start({ role: 'worker', settings: connections })
    const open = await whatDoesNotSettle(world.db, world.workspaceId, 30_000)
    return [...wrong, ...open, ...checkMails(await readLedger(world.db, world.workspaceId), world.mails())]
  },
}

const connections = { FACTEUR_SMTP_CONNECTIONS: 5 }

/** Admitted by an API whose provider is the capture mailbox, so that no request hands anything over itself. */
async function admitMails(world: World, mails: number): Promise<void> {
  const port = await world.serve({ smtpUrl: null })
  for (let at = 0; at < mails; at += batch) {
    const body = Array.from({ length: batch }, (_, index) => mailTo(world, `mail-${at + index}@example.test`))
    const end = await call({ url: world.addressOf(port), apiKey: world.apiKey, line: 'POST /api/v1/emails/batch', body })
    if (typeof end === 'string' || end.status !== 202) throw new Error(`A batch was answered ${tellEnd(end)}`)
  }
}

/** Where each life ends; null is at random. */
function chooseLives({ seed, whole, broken, draw }: Run): (string | null)[] {
  if (whole) return Array.from({ length: 32 }, () => draw.pick([null, ...places]))
  // Around the provider, and between its answer and the record.
  return broken === null ? [...thirdOf(places, seed), null] : ['hand_off.before_provider', 'hand_off.before_record']
}

/** One life of a worker after the other; answers what was wrong with their ends, and how many places were reached. */
async function killAgainAndAgain(
  run: Run,
  world: World,
  lives: (string | null)[],
): Promise<{ wrong: string[]; reached: number }> {
  const wrong: string[] = []
  let reached = 0
  for (let place = lives.shift(); place !== undefined; place = lives.shift()) {
    if (run.whole && !(await isWorkLeft(world))) break
    const hits = place === 'worker.after_claim' ? run.draw.between(1, 12) : run.draw.between(1, run.whole ? 80 : 40)
    const worker = await world.start({
      role: 'worker',
      settings: connections,
      failpoints: place === null ? [] : [`${place}:kill@${hits}`],
    })
    if (place === null) await Promise.race([worker.ended, run.draw.moment(0, 400)])
    else await settlesWithin(worker.ended, 10_000)
    if (place !== null && !worker.isAlive()) reached++
    else if (place !== null && !run.whole) wrong.push(`${place}: the place was not reached${nothingShown}`)
    await worker.kill()
    if ((await worker.ended) !== 'SIGKILL') wrong.push(`a worker ended by itself:\n${worker.lastLines()}`)
  }
  return { wrong, reached }
}

async function isWorkLeft({ db, workspaceId }: World): Promise<boolean> {
  return (await whatDoesNotSettle(db, workspaceId, 0)).length > 0
}
