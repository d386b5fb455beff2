/**
 * Five workers of a campaign killed, two at a place and three at moments of chance: unsent
 * recipients go again by themselves, and only those are in doubt whose dot may have been written.
 */
import { describeEnd } from '../support/fault-calls.ts'
import {
  draftFor,
  checkCampaign,
  checkCounters,
  readRecipients,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { openWorld, type World } from '../support/fault-world.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

const kills = 5
/**
 * Where the first ones end: at least one mail may have left then, and at least one is leased and
 * has not left.
 */
const places = ['campaign.after_dot', 'campaign.before_fill']
const settings = { FACTEUR_SMTP_CONNECTIONS: 10 }

export const campaignFewDoubts: Scenario = {
  name: 'campaign-few-doubts',
  promise:
    "a campaign's workers killed at five moments: nothing lost, nothing twice, and no recipient in doubt whose dot was not begun",
  broken: ['campaigns.doubt', 'campaigns.dots'],
  async play(run) {
    const world = await openWorld(run)
    const port = await world.serve({ smtpUrl: null })
    const contacts = run.whole ? 4_000 : 800
    const id = await draftFor(world, { port, contacts })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || end.status !== 202)
      return [`the send was answered ${describeEnd(end)}`]
    const frozen = new Set((await readRecipients(world, id)).map(({ email }) => email))
    const withheld = new Set<string>()
    for (let life = 0; life < kills; life++) {
      const failpoint = places[life]
      const mails = run.draw.between(contacts / 20, contacts / 8)
      const failpoints = failpoint === undefined ? [] : [`${failpoint}:kill@${mails}`]
      const worker = await world.start({ role: 'worker', settings, failpoints })
      if (failpoint !== undefined) await worker.ended
      else {
        await untilCompleted(world, id, mails)
        await run.draw.moment(0, 15)
      }
      await worker.kill()
      for (const { email, state } of await readRecipients(world, id))
        if (state === 'leased') withheld.add(email)
    }
    await world.start({ role: 'worker', settings })
    const wrong = await whatIsNotSent(world, id)
    const rows = await readRecipients(world, id)
    const doubts = rows.filter(({ state }) => state === 'in_doubt')
    const requested = world.dataRecipients()
    for (const { email } of doubts)
      if (!requested.has(email)) wrong.push(`${email} is in doubt, and its dot was never begun`)
    if (doubts.length >= withheld.size)
      wrong.push(
        `${doubts.length} are in doubt of ${withheld.size} that were held when a worker was killed${nothingShown}`,
      )
    return [
      ...wrong,
      ...checkCampaign(rows, frozen, world.mails()),
      ...(await checkCounters(world, id)),
    ]
  },
}

/** Waits until so many more are settled. */
async function untilCompleted(world: World, id: string, more: number): Promise<void> {
  const settled = async (): Promise<number> =>
    (await readRecipients(world, id)).filter(({ state }) => state === 'settled').length
  const enough = (await settled()) + more
  await until(async () => (await settled()) >= enough)
}
