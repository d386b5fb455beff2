/** Workers killed between claim, fill, dot, reply and record of a campaign, and a relay that does not answer for some. */
import { tellEnd } from '../support/fault-calls.ts'
import {
  draftFor,
  checkCampaign,
  checkCounters,
  readRecipients,
  sample,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { openWorld, type Run } from '../support/fault-world.ts'
import { places, perStatement } from './campaign-killed.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { settlesWithin } from '../support/until.ts'

export const campaignWorkerKilled: Scenario = {
  name: 'campaign-worker-killed',
  promise: "a campaign's workers killed at each place: what may have left is in doubt, held, and nobody has it twice",
  broken: ['campaign.order', 'campaigns.doubt', 'campaigns.counters', 'campaigns.end', 'campaign.late_note'],
  async play(run) {
    const world = await openWorld(run, { dropAfterDot: 0.02 })
    const port = await world.serve({ smtpUrl: null })
    const id = await draftFor(world, { port, people: run.whole ? 2_000 : 400 })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || end.status !== 202) return [`the send was answered ${tellEnd(end)}`]
    const frozen = new Set((await readRecipients(world, id)).map(({ email }) => email))
    const samples = sample(world, { port, id })
    const lives = chooseLives(run)
    let reached = 0
    for (const place of lives) {
      const hits = perStatement.has(place) ? run.draw.between(2, 8) : run.draw.between(10, 90)
      const worker = await world.start({ role: 'worker', settings, failpoints: [`${place}:kill@${hits}`] })
      await settlesWithin(worker.ended, 10_000)
      if (!worker.isAlive()) reached++
      await worker.kill()
    }
    await world.start({ role: 'worker', settings })
    const open = await whatIsNotSent(world, id, 20_000)
    const { wrong } = await samples.stop()
    if (reached < (run.whole ? 1 : lives.length)) wrong.push(`${reached} of ${lives.join(', ')} were reached${nothingShown}`)
    const rows = await readRecipients(world, id)
    if (!rows.some(({ state }) => state === 'in_doubt')) wrong.push(`nobody is in doubt${nothingShown}`)
    return [...wrong, ...open, ...checkCampaign(rows, frozen, world.mails()), ...(await checkCounters(world, id))]
  },
}

/** Where each life ends. */
function chooseLives({ seed, whole, broken, draw }: Run): string[] {
  if (whole) return Array.from({ length: 12 }, () => draw.pick(places))
  if (broken === null) return thirdOf(places, seed)
  return [broken === 'campaign.late_note' ? 'campaign.after_dot' : 'campaign.before_provider', 'campaign.before_record']
}

const settings = { FACTEUR_SMTP_CONNECTIONS: 5 }
