/**
 * GET /campaigns/{id}/stats: a campaign's results, read from its counters, so that ten recipients
 * and a million take the same time.
 */
import type { CampaignStats } from '../../contract/campaigns.ts'
import type { CampaignResults } from '../../contract/workspace/campaign-results.ts'
import { campaignLinks } from '../../db/tracking/campaign-links.ts'
import { campaignTallies, countOf, type TallyRow } from '../../db/campaigns/campaign-tallies.ts'
import { compiledCampaign, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import type { Context, RowKey } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'
import { engagementBars } from './engagement-bars.ts'
import { findCampaign } from './find-campaign.ts'
import {
  campaignCounts,
  campaignDelivery,
  campaignRates,
} from '../presentation/present-campaign.ts'
import { asCompiled } from '../presentation/as-compiled.ts'
import type { Verb } from '../verb.ts'

export const getCampaignStats: Verb<'getCampaignStats'> = async (ctx, { params }) => {
  return { body: await readStats(ctx, { workspaceId: ctx.workspaceId, id: params.id }) }
}

/** Throws `not_found`. */
export async function readStats(
  ctx: Pick<Context, 'db'>,
  { workspaceId, id }: RowKey,
): Promise<CampaignStats> {
  const campaign = await findCampaign(ctx, { workspaceId, id })
  const [{ counts, rates, delivery, timeline, audience, links, ...figures }, compiled] =
    await Promise.all([
      readFigures(ctx, { workspaceId, campaign }),
      campaign.sentAt && compiledCampaign(ctx.db, workspaceId, id),
    ])
  return {
    ...{ campaign: figures.campaign, counts, rates, delivery, timeline, audience },
    links: links.map(({ url, clicks }) => ({ url, clicks })),
    html: compiled === null ? '' : openTemplate(asCompiled(compiled)).renderHtml(null, null),
  }
}

/** All statistics except the mail's HTML, and the bars; each link has its position in the mail. */
export type CampaignFigures = Omit<CampaignStats, 'html' | 'links'> & {
  bars: CampaignResults['bars']
  links: { position: number; url: string; clicks: number }[]
}

export async function readFigures(
  ctx: Pick<Context, 'db'>,
  { workspaceId, campaign }: { workspaceId: number; campaign: CampaignRow },
): Promise<CampaignFigures> {
  const [tallies, links] = await Promise.all([
    campaignTallies(ctx.db, workspaceId, campaign.id),
    campaignLinks(ctx.db, workspaceId, campaign.id),
  ])
  const counts = campaignCounts(campaign)
  return {
    campaign: showHead(campaign),
    counts,
    rates: campaignRates(counts),
    delivery: campaignDelivery(campaign),
    timeline: campaign.sentAt === null ? [] : timelineOf(tallies),
    bars: campaign.sentAt === null ? [] : engagementBars(tallies),
    audience: audienceOf(tallies),
    links: campaign.trackClicks ? linksOf(tallies, links) : [],
  }
}

const showHead = (row: CampaignRow): CampaignStats['campaign'] => ({
  id: row.id,
  name: row.name,
  subject: row.subject,
  status: row.status,
  kind: row.kind,
  fromName: row.fromName,
  fromEmail: row.fromEmail,
  sentAt: row.sentAt && rfc3339(row.sentAt),
  scheduledAt: row.scheduledAt && rfc3339(row.scheduledAt),
  updatedAt: rfc3339(row.updatedAt),
})

/** Eight windows of six hours, from the start of the hand-off. */
function timelineOf(tallies: TallyRow[]): CampaignStats['timeline'] {
  return Array.from({ length: 8 }, (_, window) => ({
    label: `${window * 6}-${window * 6 + 6}h`,
    opened: countOf(tallies, 'opened_in', String(window)),
    clicked: countOf(tallies, 'clicked_in', String(window)),
  }))
}

function audienceOf(tallies: TallyRow[]): CampaignStats['audience'] {
  const total = countOf(tallies, 'opened')
  const topFive = (measure: string): CampaignStats['audience']['device'] =>
    tallies
      .filter((row) => row.measure === measure && row.count > 0)
      .toSorted((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
      .slice(0, 5)
      .map(({ label, count }) => ({ label, count, share: count / total }))
  return {
    total,
    proxiedShare: total === 0 ? 0 : countOf(tallies, 'relayed') / total,
    device: topFive('device'),
    os: topFive('os'),
    client: topFive('client'),
  }
}

/** All links of the mail as the author wrote them, including those without clicks. */
function linksOf(
  tallies: TallyRow[],
  links: { position: number; url: string }[],
): CampaignFigures['links'] {
  return links
    .map(({ position, url }) => ({
      position,
      url,
      clicks: countOf(tallies, 'link', String(position)),
    }))
    .toSorted((a, b) => b.clicks - a.clicks)
}
