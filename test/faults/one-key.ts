/**
 * Fifty calls with one Idempotency-Key while the API is killed, at random and between every two of
 * its steps.
 */
import { acceptedId, callUntilAnswered, describeEnd, type CallEnd } from '../support/fault-calls.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { debited, checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import { moveClock } from '../support/database.ts'
import { until } from '../support/until.ts'
import type { Scenario } from './scenario.ts'

const twins = 50

/**
 * Between every two steps of a send; the third twin of a group for those that every twin passes.
 */
export const places = [
  'admit.before_write:kill@1',
  'admit.before_write:kill@3',
  'admit.after_commit:kill@1',
  'admit.after_commit:kill@3',
  'send.after_admit:kill',
  'hand_off.before_compose:kill',
  'hand_off.before_provider:kill',
  'hand_off.at_mail:kill',
  'hand_off.at_dot:kill',
  'hand_off.after_dot:kill',
  'hand_off.before_record:kill',
  'hand_off.after_record:kill',
  'send_email.before_answer:kill@1',
  'send_email.before_answer:kill@20',
]

export const oneKey: Scenario = {
  name: 'one-key',
  promise:
    '50 calls with one Idempotency-Key, the API killed in between: one id, one mail for each recipient, one debit',
  broken: ['send.key'],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    await world.start({ role: 'worker' })
    const wrong: string[] = []
    const rounds = chooseRounds(run)
    const requests: Promise<CallEnd>[][] = []
    for (const [index, failpoint] of rounds.entries()) {
      // Who got no answer asks on, and the next process answers, if it is not killed by that.
      requests.push(await playRound(run, world, { port, failpoint, index }))
    }
    await world.serve({ port })
    await Promise.all(requests.flat())
    // The leases of those that were killed are over.
    await moveClock(world.url, '2 minutes')
    for (const [index, calls] of requests.entries()) {
      const ends = await Promise.all(calls)
      const refused = ends
        .filter((end) => acceptedId(end) === null)
        .map((end) => `a call ended with ${describeEnd(end)}`)
      const ids = new Set(ends.map(acceptedId))
      if (ids.size !== 1) refused.push(`${ids.size} different ids were answered`)
      wrong.push(...refused.map((what) => `${rounds[index] ?? 'killed at random'}: ${what}`))
    }
    wrong.push(...(await unfinishedRows(world.db, world.workspaceId)))
    const rows = await readLedger(world.db, world.workspaceId)
    const recipients = rounds.length * 2
    if (rows.length !== recipients) wrong.push(`${recipients} recipients made ${rows.length} rows`)
    const used = await debited(world.db, world.workspaceId)
    if (used !== recipients) wrong.push(`${recipients} recipients were debited ${used} times`)
    return [...wrong, ...checkMails(rows, world.mails())]
  },
}

/**
 * All places and as many kills at random; of all places and one such kill the small size takes
 * every third.
 */
function chooseRounds({ seed, whole, broken, draw }: Run): (string | null)[] {
  if (whole) return draw.shuffle([...places, ...places.map(() => null)])
  return broken === null ? thirdOf([...places, null], seed) : places.slice(0, 1)
}

/** Time enough for a busy machine to come to the final dot. */
const lease = { FACTEUR_LEASE_SECONDS: 60 }

interface Round {
  port: number
  failpoint: string | null
  index: number
}

/**
 * To two recipients; every other one with a file, which is admitted in a transaction instead of one
 * statement.
 */
const mailOf = (world: World, index: number): object => ({
  ...mailTo(world, `twin-${index}@example.test`),
  cc: `copy-${index}@example.test`,
  ...(index % 2 === 0
    ? {}
    : { attachments: [{ filename: 'a.txt', content: Buffer.from('A file.').toString('base64') }] }),
})

const callOnce = (world: World, port: number, index: number): Promise<CallEnd> =>
  callUntilAnswered(
    {
      url: world.addressOf(port),
      apiKey: world.apiKey,
      line: 'POST /api/v1/emails',
      body: mailOf(world, index),
      idempotencyKey: `key ${index}`,
    },
    150,
  )

/** One life of the API, which ends at its place or at random: the calls that it was asked. */
async function playRound(
  run: Run,
  world: World,
  { port, failpoint, index }: Round,
): Promise<Promise<CallEnd>[]> {
  const doomed = await world.start({
    role: 'api',
    port,
    failpoints: failpoint === null ? [] : [failpoint],
    settings: lease,
  })
  const calls = Array.from({ length: twins }, () => callOnce(world, port, index))
  if (failpoint === null) void run.draw.moment(0, 60).then(() => doomed.signal('SIGKILL'))
  // A few groups may have taken all twins: then another one comes to the place.
  await until(async () => {
    await Promise.race([doomed.ended, Promise.all(calls)])
    if (doomed.isAlive()) calls.push(callOnce(world, port, index))
    return !doomed.isAlive()
  })
  return calls
}
