/** GET /campaign-totals: how many campaigns match and have each status, at one moment. */
import { campaignStatuses } from '../../contract/campaigns.ts'
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { campaignsByStatus } from '../../db/campaigns/campaign-totals.ts'
import { countAtOneMoment } from '../audience/segments/in-turn.ts'
import type { Verb } from '../verb.ts'
import { readCampaignFilter } from './read-campaign-filter.ts'

export const countCampaigns: Verb<'countCampaigns'> = async (ctx, { query }) => {
  const filter = readCampaignFilter(query)
  const rows = await countAtOneMoment(ctx, (tx) =>
    campaignsByStatus(tx, ctx.workspaceId, {
      ...filter,
      ...{ statuses: campaignStatuses, max: countedEntriesMax + 1 },
    }),
  )
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  const listed = rows.filter(({ status }) => status !== 'archived')
  const all = boundedCount({ count: listed.reduce((sum, { count }) => sum + count, 0) })
  const statuses = Object.fromEntries(
    campaignStatuses.map((status) => [status, boundedCount({ count: counts.get(status) ?? 0 })]),
  ) as Record<(typeof campaignStatuses)[number], ReturnType<typeof boundedCount>>
  return { body: { object: 'campaign_totals', all, statuses } }
}
