/**
 * Addresses suppressed while their campaign is on its way, claimed and tried again: after the
 * answer no claim begins.
 */
import { checkClaims, noteClaims } from '../support/claim-notes.ts'
import { callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import {
  draftFor,
  checkCounters,
  readRecipients,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { suppress, suppressClaimed, type Answered } from './suppress-claimed.ts'

export const campaignSuppressed: Scenario = {
  name: 'campaign-suppressed',
  promise:
    'once POST /suppression or DELETE /subscribers has answered, no claim of the campaign for the address begins',
  broken: ['campaigns.suppression', 'suppress.settle'],
  async play(run) {
    const world = await openWorld(run)
    await noteClaims(world, { table: 'campaign_recipient', slowly: true })
    const port = await world.serve({ smtpUrl: null })
    // Half of them are refused twice for now, and claimed three times.
    const id = await draftFor(world, {
      port,
      contacts: run.whole ? 1_000 : 400,
      domain: 'simulator.test',
    })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || end.status !== 202)
      return [`the send was answered ${describeEnd(end)}`]
    const addresses = (await readRecipients(world, id)).map(({ email }) => email)
    // Rows stay claimed for a while, so that many are when their address is suppressed.
    const failpoint = 'campaign.before_fill'
    const failpoints = [`${failpoint}:hold`, 'campaign.before_provider:delay:60']
    const worker = await world.start({ role: 'worker', smtpUrl: null, failpoints })
    const leased = async (): Promise<string[]> =>
      (await readRecipients(world, id))
        .filter(({ state }) => state === 'leased')
        .map(({ email }) => email)
    const answered = await suppressClaimed(world, worker, {
      port,
      table: 'campaign_recipient',
      failpoint,
      leased,
    })
    const { times, wrong } = answered
    await closeAtRandom(run, world, { port, addresses, answered })
    wrong.push(...(await whatIsNotSent(world, id)))
    const after = await readRecipients(world, id)
    const suppressed = after.filter(({ status }) => status === 'suppressed').length
    if (suppressed === 0 || suppressed === times.size)
      wrong.push(`${suppressed} of ${times.size} were suppressed${nothingShown}`)
    return [...wrong, ...(await checkClaims(world, times)), ...(await checkCounters(world, id))]
  },
}

async function closeAtRandom(
  run: Run,
  world: World,
  { port, addresses, answered }: { port: number; addresses: string[]; answered: Answered },
): Promise<void> {
  const chosen = run.draw.shuffle(addresses).slice(0, addresses.length / 2)
  await Promise.all(
    chosen.map(async (email, at) => {
      await run.draw.moment(0, 2_000)
      if (answered.times.has(email)) return
      if (at % 2 === 0) return suppress(world, port, email, answered)
      const line = `DELETE /api/v1/subscribers/${encodeURIComponent(email)}`
      const end = await callUntilAnswered({
        url: world.addressOf(port),
        apiKey: world.apiKey,
        line,
      })
      if (typeof end === 'string' || end.status >= 300)
        answered.wrong.push(`closing ${email} ended with ${describeEnd(end)}`)
      else answered.times.set(email, Date.now())
    }),
  )
}
