/**
 * Addresses suppressed while their mails wait, are claimed and are tried again: after the answer no
 * claim begins.
 */
import { checkClaims, noteClaims } from '../support/claim-notes.ts'
import { call, callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import { readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { suppress, suppressClaimed, type Answered } from './suppress-claimed.ts'

const batch = 100

export const suppressedMeanwhile: Scenario = {
  name: 'suppressed-meanwhile',
  promise: 'once POST /suppression has answered, no claim of a mail to the address begins',
  broken: ['claims.suppression', 'suppress.settle'],
  async play(run) {
    const world = await openWorld(run)
    await noteClaims(world, { table: 'recipient', slowly: true })
    const port = await restartPort()
    // Killed between its two transactions, the call has not answered; it is asked again.
    const api = await world.start({
      role: 'api',
      port,
      smtpUrl: null,
      failpoints: [`suppress.between:kill@${run.draw.between(20, 60)}`],
    })
    const over = new AbortController()
    run.after(() => Promise.resolve(over.abort()))
    void api.ended.then(() => (over.signal.aborted ? null : world.serve({ port, smtpUrl: null })))
    // Rows stay claimed for a while, so that many are when their address is suppressed.
    const failpoint = 'hand_off.before_compose'
    const failpoints = [`${failpoint}:hold`, 'hand_off.before_provider:delay:60']
    const worker = await world.start({ role: 'worker', smtpUrl: null, failpoints })
    const addresses = await admitMails(run, world, port)
    const leased = async (): Promise<string[]> =>
      (await readLedger(world.db, world.workspaceId))
        .filter(({ state }) => state === 'leased')
        .map(({ email }) => email)
    const answered = await suppressClaimed(world, worker, {
      port,
      table: 'recipient',
      failpoint,
      leased,
    })
    await suppressAtRandom(run, world, { port, addresses, answered })
    const open = await unfinishedRows(world.db, world.workspaceId)
    return [
      ...answered.wrong,
      ...open,
      ...(await checkBarred(world, answered.times)),
      ...(await checkClaims(world, answered.times)),
      ...(await checkLater(world, port, answered.times)),
    ]
  },
}

/**
 * Half of them are refused twice for now and claimed three times; they become due in three crowds.
 * Answers the addresses.
 */
async function admitMails({ whole, draw }: Run, world: World, port: number): Promise<string[]> {
  const began = Date.now()
  const addresses = Array.from({ length: whole ? 1_000 : 300 }, (_, at) =>
    at % 2 === 0 ? `mail-${at}@example.test` : `deferred+${at}@simulator.test`,
  )
  for (let from = 0; from < addresses.length; from += batch) {
    const body = addresses.slice(from, from + batch).map((to) => ({
      ...mailTo(world, to),
      scheduled_at: new Date(began + draw.pick([600, 1_200, 1_800])).toISOString(),
    }))
    const end = await call({
      url: world.addressOf(port),
      apiKey: world.apiKey,
      line: 'POST /api/v1/emails/batch',
      body,
    })
    if (typeof end === 'string' || end.status !== 202)
      throw new Error(`A batch was answered ${describeEnd(end)}`)
  }
  return addresses
}

async function suppressAtRandom(
  run: Run,
  world: World,
  { port, addresses, answered }: { port: number; addresses: string[]; answered: Answered },
): Promise<void> {
  const chosen = run.draw.shuffle(addresses).slice(0, addresses.length / 2)
  await Promise.all(
    chosen.map(async (email) => {
      await run.draw.moment(0, 2_200)
      if (!answered.times.has(email)) await suppress(world, port, email, answered)
    }),
  )
}

/** Some of the chosen addresses were suppressed, and some mails had left. */
async function checkBarred(
  { db, workspaceId }: World,
  times: Map<string, number>,
): Promise<string[]> {
  const suppressed = (await readLedger(db, workspaceId)).filter(
    ({ error }) => error === 'suppressed: manual',
  ).length
  return suppressed === 0 || suppressed === times.size
    ? [`${suppressed} of ${times.size} were suppressed${nothingShown}`]
    : []
}

/** A new send to a suppressed address is refused. */
async function checkLater(
  world: World,
  port: number,
  times: Map<string, number>,
): Promise<string[]> {
  const [to] = times.keys()
  if (to === undefined) return []
  const end = await callUntilAnswered({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/emails',
    body: mailTo(world, to),
  })
  return typeof end !== 'string' && end.status === 422
    ? []
    : [`a send to a suppressed address ended with ${describeEnd(end)}`]
}
