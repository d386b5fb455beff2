/** Workers killed at random and between claim, data, dot, reply and record, while messages go through the relay to the referee. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call, tellEnd } from '../support/fault-calls.ts'
import { judgeMails, readLedger, whatDoesNotSettle } from '../support/fault-ledger.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import type { Run, World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import type { Scenario } from './scenario.ts'

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
    // A mail in fifty is kept and never answered for: doubt that comes from the peer.
    const world = await openWorld(run, { dropAfterDot: run.draw.pick([0, 0.02]) })
    await admitMails(world, run.whole ? 2_000 : 600)
    const lives = await Promise.all([killAgainAndAgain(run, world), killAgainAndAgain(run, world)])
    const wrong = lives.flatMap((life) => life.wrong)
    if (lives.every(({ reached }) => reached === 0)) wrong.push('no place was reached: the run shows nothing')
    await world.start({ role: 'worker', settings: connections })
    const open = await whatDoesNotSettle(world.db, world.workspaceId, 30_000)
    return [...wrong, ...open, ...judgeMails(await readLedger(world.db, world.workspaceId), world.mails())]
  },
}

const connections = { FACTEUR_SMTP_CONNECTIONS: 5 }

/** Admitted by a process whose provider is the capture mailbox, so that no request hands anything over itself. */
async function admitMails(world: World, mails: number): Promise<void> {
  const port = await restartPort()
  const api = await world.start({ role: 'api', port, smtpUrl: null })
  for (let at = 0; at < mails; at += batch) {
    const body = Array.from({ length: batch }, (_, index) => mailTo(world, `mail-${at + index}@example.test`))
    const end = await call({ url: world.addressOf(port), apiKey: world.apiKey, line: 'POST /api/v1/emails/batch', body })
    if (typeof end === 'string' || end.status !== 202) throw new Error(`A batch was answered ${tellEnd(end)}`)
  }
  await api.kill()
}

/** Lives of one worker, each ended at another place; answers the ends that were not ours, and how many places were reached. */
async function killAgainAndAgain(run: Run, world: World): Promise<{ wrong: string[]; reached: number }> {
  const wrong: string[] = []
  let reached = 0
  const lives = run.whole ? 16 : 5
  for (let life = 0; life < lives && (await isWorkLeft(world)); life++) {
    const place = run.draw.pick([null, ...places])
    const hits = place === 'worker.after_claim' ? run.draw.between(1, 12) : run.draw.between(1, 80)
    const worker = await world.start({
      role: 'worker',
      settings: connections,
      failpoints: place === null ? [] : [`${place}:kill@${hits}`],
    })
    await Promise.race([worker.ended, sleep(place === null ? run.draw.between(0, 400) : 4_000)])
    if (place !== null && !worker.isAlive()) reached++
    await worker.kill()
    if ((await worker.ended) !== 'SIGKILL') wrong.push(`a worker ended by itself:\n${worker.lastLines()}`)
  }
  return { wrong, reached }
}

async function isWorkLeft({ db, workspaceId }: World): Promise<boolean> {
  return (await whatDoesNotSettle(db, workspaceId, 0)).length > 0
}
