/** `facteur campaign stats` and `recount`: a campaign's statistics, and its counters computed again from the rows. */
import type { CampaignStats } from '../../../contract/campaigns.ts'
import { readStats } from '../../../core/campaigns/get-campaign-stats.ts'
import { recountCampaign } from '../../../db/campaigns/campaign-recount.ts'
import { numberCell, printed } from '../result.ts'
import { pairs } from '../terminal-text.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

export const campaignStats = defineDatabaseCommand({
  name: 'campaign stats',
  summary: 'Shows the statistics of a campaign: opens and clicks over 48 hours, what they were made with, and its links',
  note: 'Opens through privacy relays count and are told apart; those of scanners do not count.',
  arguments: { ID: campaignArgument },
  flags: ofWorkspace,
  examples: [`campaign stats --workspace acme ${exampleId}`],
  run: async (ctx, input) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const stats = await readStats(ctx, workspace.id, campaign.id)
    return printed({ id: stats.campaign.id, ...stats }, describe(stats))
  },
})

export const campaignRecount = defineDatabaseCommand({
  name: 'campaign recount',
  summary: 'Counts a campaign anew from its rows: progress and statistics',
  note: 'Changes nothing where everything is right. May run while the campaign is sent and opened.',
  arguments: { ID: campaignArgument },
  flags: ofWorkspace,
  examples: [`campaign recount --workspace acme ${exampleId}`],
  run: async (ctx, input) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const mended = (await recountCampaign(ctx.db, { workspaceId: workspace.id, campaignId: campaign.id })) ?? 0
    const said =
      mended === 0 ? 'Every counter is what the rows say.' : `${numberCell(mended)} counters were wrong and are mended.`
    return printed({ object: 'campaign_recount', id: campaign.id, mended }, said)
  },
})

function describe({ campaign, counts, rates, timeline, audience, links }: CampaignStats): string {
  if (campaign.sentAt === null) return `"${campaign.name}" has not gone out.`
  const percent = (share: number | null): string => (share === null ? '' : ` (${(share * 100).toFixed(1)} %)`)
  const figures: [string, string][] = [
    ['Recipients', numberCell(counts.recipients)],
    ['Delivered', numberCell(counts.delivered) + percent(rates.delivered)],
    [
      'Opened',
      `${numberCell(counts.opened)}${percent(rates.opened)}, ${(audience.proxiedShare * 100).toFixed(1)} % through privacy relays`,
    ],
    ['Clicked', numberCell(counts.clicked) + percent(rates.clicked)],
    ['Bounced', numberCell(counts.bounced) + percent(rates.bounced)],
    ['Complained', numberCell(counts.complained)],
    ['Unsubscribed', numberCell(counts.unsubscribed)],
  ]
  const windows = timeline.map(({ label, opened, clicked }): [string, string] => [
    label,
    `${numberCell(opened)} opened, ${numberCell(clicked)} clicked`,
  ])
  const breakdown = (title: string, rows: CampaignStats['audience']['device']): [string, string][] =>
    rows.length === 0
      ? []
      : [[title, rows.map(({ label, count, share }) => `${label} ${numberCell(count)}${percent(share)}`).join(', ')]]
  const seen = [
    ...breakdown('Device', audience.device),
    ...breakdown('System', audience.os),
    ...breakdown('Client', audience.client),
  ]
  const clicks = links.map((link): [string, string] => [numberCell(link.clicks), link.url])
  return [figures, windows, seen, clicks].flatMap((part) => (part.length === 0 ? [] : [pairs(part)])).join('\n\n')
}
