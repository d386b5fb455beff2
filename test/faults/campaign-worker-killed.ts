/**
 * Workers killed between claim, fill, dot, reply and record of a campaign, and a relay that does
 * not answer for some.
 */
import { sql } from '../../src/database/client/sql.ts'
import { describeEnd } from '../support/fault-calls.ts'
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
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { places, perStatement } from './campaign-killed.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

export const campaignWorkerKilled: Scenario = {
  name: 'campaign-worker-killed',
  promise:
    "a campaign's workers killed at each place: what may have left is in doubt, held, and nobody has it twice",
  broken: [
    'campaign.order',
    'campaigns.doubt',
    'campaigns.counters',
    'campaigns.end',
    'campaign.late_note',
  ],
  async play(run) {
    const world = await openWorld(run, { dropAfterDot: 0.02 })
    const port = await world.serve({ smtpUrl: null })
    const id = await draftFor(world, { port, contacts: run.whole ? 2_000 : 400 })
    const end = await sendUntilAnswered(world, port, id)
    if (typeof end === 'string' || end.status !== 202)
      return [`the send was answered ${describeEnd(end)}`]
    const frozen = new Set((await readRecipients(world, id)).map(({ email }) => email))
    const samples = sample(world, { port, id })
    const lives = chooseLives(run)
    for (const failpoint of lives) {
      const hits = perStatement.has(failpoint) ? run.draw.between(2, 8) : run.draw.between(10, 90)
      const worker = await world.start({
        role: 'worker',
        settings,
        failpoints: [`${failpoint}:kill@${hits}`],
      })
      // A campaign that ended too early leads no worker to its place.
      await until(
        async () => !worker.isAlive() || (run.broken !== null && (await isSent(world, id))),
      )
      await worker.kill()
    }
    await world.start({ role: 'worker', settings })
    // Counters that are wrong never come to an end.
    const open = await whatIsNotSent(world, id, run.broken === null ? undefined : 10_000)
    const { wrong } = await samples.stop()
    const rows = await readRecipients(world, id)
    if (!rows.some(({ state }) => state === 'in_doubt'))
      wrong.push(`nobody is in doubt${nothingShown}`)
    return [
      ...wrong,
      ...open,
      ...checkCampaign(rows, frozen, world.mails()),
      ...(await checkCounters(world, id)),
    ]
  },
}

async function isSent({ db, workspaceId }: World, id: string): Promise<boolean> {
  const status = await db.onlyValue<string>(
    sql`select status from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return status === 'sent'
}

/** Where each life ends. */
function chooseLives({ seed, whole, broken, draw }: Run): string[] {
  if (whole) return Array.from({ length: 12 }, () => draw.pick(places))
  if (broken === null) return thirdOf(places, seed)
  // A recorded mail that never left shows the order; one that has left, and may go again, the
  // others.
  return [
    broken === 'campaign.order' ? 'campaign.before_provider' : 'campaign.after_dot',
    'campaign.before_record',
  ]
}

const settings = { FACTEUR_SMTP_CONNECTIONS: 5 }
