/** One campaign sent by twenty callers of two processes at once: it is frozen once. */
import { sql } from '../../src/database/client/sql.ts'
import { draftFor, readRecipients, sendOnce } from '../support/fault-campaign.ts'
import { describeEnd } from '../support/fault-calls.ts'
import { debited } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { openWorld } from '../support/fault-world.ts'
import type { Scenario } from './scenario.ts'

export const campaignSentOnce: Scenario = {
  name: 'campaign-sent-once',
  promise:
    'twenty sends of one campaign at once: one 202, nineteen 409, every recipient frozen and debited once',
  broken: ['campaigns.lock'],
  async play(run) {
    const world = await openWorld(run)
    // The second process is ours.
    const port = await restartPort()
    // The first freeze waits for others to come.
    const failpoints = ['freeze.after_insert:delay:500']
    await world.start({ role: 'api', port, smtpUrl: null, failpoints })
    const here = await world.serve({ smtpUrl: null, failpoints })
    const contacts = run.whole ? 20_000 : 2_000
    const id = await draftFor(world, { port, contacts })
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, at) => sendOnce(world, at % 2 === 0 ? port : here, id)),
    )
    const statuses = ends.map((end) => (typeof end === 'string' ? end : end.status))
    const wrong: string[] = []
    if (
      statuses.filter((status) => status === 202).length !== 1 ||
      statuses.filter((status) => status === 409).length !== 19
    )
      wrong.push(`answered ${ends.map(describeEnd).join(', ')}`)
    const rows = await readRecipients(world, id)
    if (rows.length !== contacts) wrong.push(`${rows.length} of ${contacts} were frozen`)
    const used = await debited(world.db, world.workspaceId)
    if (used !== contacts) wrong.push(`${used} were debited for ${contacts}`)
    const [row] = await world.db.rows<{ recipients: number }>(sql`
      select recipients from campaign_run where workspace_id = ${world.workspaceId} and campaign_id = ${id}`)
    if (row?.recipients !== contacts) wrong.push(`${row?.recipients} are counted`)
    return wrong
  },
}
