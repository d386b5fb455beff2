/** Addresses closed while their campaign is on its way, claimed and tried again: after the answer no claim begins. */
import { checkClaims, noteClaims } from '../support/claim-notes.ts'
import { callUntilAnswered, tellEnd } from '../support/fault-calls.ts'
import { draftFor, checkCounters, readRecipients, sendUntilAnswered, whatIsNotSent } from '../support/fault-campaign.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { nothingShown, type Scenario } from './scenario.ts'

export const campaignSuppressed: Scenario = {
  name: 'campaign-suppressed',
  promise: 'once POST /suppression or DELETE /subscribers has answered, no claim of the campaign for the address begins',
  broken: ['campaigns.suppression', 'suppress.settle'],
  async play(run) {
    const world = await openWorld(run)
    await noteClaims(world, { table: 'campaign_recipient', slowly: true })
    const port = await world.serve({ smtpUrl: null })
    // Half of them are refused twice for now, and claimed three times.
    const id = await draftFor(world, { port, people: run.whole ? 1_000 : 400, domain: 'simulator.test' })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || end.status !== 202) return [`the send was answered ${tellEnd(end)}`]
    const rows = await readRecipients(world, id)
    // Rows stay claimed for a while, so that many are when their address is closed.
    await world.start({ role: 'worker', smtpUrl: null, failpoints: ['campaign.before_provider:delay:60'] })
    const { answered, wrong } = await closeAtRandom(
      run,
      world,
      port,
      rows.map(({ email }) => email),
    )
    wrong.push(...(await whatIsNotSent(world, id, 20_000)))
    const after = await readRecipients(world, id)
    const barred = after.filter(({ status }) => status === 'suppressed').length
    if (barred === 0 || barred === answered.size) wrong.push(`${barred} of ${answered.size} were barred${nothingShown}`)
    return [...wrong, ...(await checkClaims(world, answered)), ...(await checkCounters(world, id))]
  },
}

async function closeAtRandom(
  run: Run,
  world: World,
  port: number,
  addresses: string[],
): Promise<{ answered: Map<string, number>; wrong: string[] }> {
  const answered = new Map<string, number>()
  const wrong: string[] = []
  const chosen = run.draw.shuffle(addresses).slice(0, addresses.length / 2)
  await Promise.all(
    chosen.map(async (email, at) => {
      await run.draw.moment(0, 2_000)
      const asked = { url: world.addressOf(port), apiKey: world.apiKey }
      const end =
        at % 2 === 0
          ? await callUntilAnswered({ ...asked, line: 'POST /api/v1/suppression', body: { email } })
          : await callUntilAnswered({ ...asked, line: `DELETE /api/v1/subscribers/${encodeURIComponent(email)}` })
      if (typeof end === 'string' || end.status >= 300) wrong.push(`closing ${email} ended with ${tellEnd(end)}`)
      else answered.set(email, Date.now())
    }),
  )
  return { answered, wrong }
}
