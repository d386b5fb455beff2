/** GET /campaign-totals: how many campaigns have each status, at one moment. */
import { campaignStatuses } from '../../contract/campaigns.ts'
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { campaignsByStatus } from '../../db/campaigns/campaign-totals.ts'
import { countAtOneMoment } from '../audience/segments/in-turn.ts'
import type { Verb } from '../verb.ts'

export const countCampaigns: Verb<'countCampaigns'> = async (ctx) => {
  const rows = await countAtOneMoment(ctx, (tx) =>
    campaignsByStatus(tx, ctx.workspaceId, {
      statuses: campaignStatuses,
      max: countedEntriesMax + 1,
    }),
  )
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  const statuses = Object.fromEntries(
    campaignStatuses.map((status) => [status, boundedCount({ count: counts.get(status) ?? 0 })]),
  ) as Record<(typeof campaignStatuses)[number], ReturnType<typeof boundedCount>>
  return { body: { object: 'campaign_totals', statuses } }
}
