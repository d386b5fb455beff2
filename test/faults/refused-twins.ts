/**
 * Twins of a call that the provider refuses for good, with a crash before it is taken back: no
 * caller gets 202, nothing is debited.
 */
import { callUntilAnswered, rest, describeEnd } from '../support/fault-calls.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { debited, readLedger } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import type { Scenario } from './scenario.ts'

const twins = 12
const settings = { FACTEUR_INLINE_SECONDS: 10 }

export const refusedTwins: Scenario = {
  name: 'refused-twins',
  promise:
    'a send that is refused for every recipient answers 502 to all its twins, its key free and nothing debited',
  broken: ['keys.refused'],
  async play(run) {
    const world = await openWorld(run)
    const places = [
      'send.before_take_back:kill',
      'send.before_take_back:hold',
      'hand_off.after_record:kill@2',
    ]
    const wrong: string[] = []
    for (const failpoint of run.whole ? places : thirdOf(places, run.seed))
      wrong.push(...(await playRound(run, world, failpoint)))
    const rows = await readLedger(world.db, world.workspaceId)
    const shown = rows
      .filter((row) => row.status !== 'failed')
      .map((row) => `${row.email} is shown as ${row.status}`)
    const used = await debited(world.db, world.workspaceId)
    return [...wrong, ...shown, ...(used === 0 ? [] : [`${used} are debited`])]
  },
}

async function playRound(run: Run, world: World, failpoint: string): Promise<string[]> {
  const port = await restartPort()
  const first = await world.start({
    role: 'api',
    port,
    smtpUrl: null,
    failpoints: [failpoint],
    settings,
  })
  const calls = Array.from({ length: twins }, () =>
    callUntilAnswered({
      url: world.addressOf(port),
      apiKey: world.apiKey,
      line: 'POST /api/v1/emails',
      body: mailTo(world, 'refused@simulator.test'),
      idempotencyKey: `key at ${failpoint}`,
    }),
  )
  if (failpoint.endsWith(':hold')) {
    await first.pausesAt('send.before_take_back')
    // The twins wait with it; without the guard they do not.
    await (run.broken === null ? rest(300) : Promise.race(calls))
    first.letGo()
  }
  await Promise.race([first.ended, Promise.all(calls)])
  if (!first.isAlive()) await world.serve({ port, smtpUrl: null, settings })
  const ends = await Promise.all(calls)
  await first.kill()
  return ends
    .filter((end) => typeof end === 'string' || end.status !== 502)
    .map((end) => `${failpoint}: a twin ended with ${describeEnd(end)}`)
}
