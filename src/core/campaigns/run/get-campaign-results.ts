/**
 * GET /campaigns/{id}/results: the figures of the statistics page, what they exclude, and each
 * link's share.
 */
import { ApiError } from '../../../contract/errors.ts'
import {
  scannersCountedMax,
  uniqueClicksMax,
  type CampaignResults,
} from '../../../contract/workspace/campaign-results.ts'
import { scannerRequests } from '../../../db/tracking/scanner-requests.ts'
import { uniqueClicks } from '../../../db/tracking/recipient-engagement.ts'
import type { CallContext, Context } from '../../context.ts'
import { detailsExpiredAt } from '../expired-details.ts'
import { findCampaign } from '../find-campaign.ts'
import { readFigures, type CampaignFigures } from '../get-campaign-stats.ts'
import type { Verb } from '../../verb.ts'

export const getCampaignResults: Verb<'getCampaignResults'> = async (ctx, { params, query }) => {
  const results = await readResults(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  if (!query.uniqueClicks) return { body: results }
  return { body: { ...results, links: await withUniqueClicks(ctx, results) } }
}

/** Throws `not_found` with `expiredAt` once the single clicks have expired. */
async function withUniqueClicks(
  ctx: CallContext,
  { campaign: { id }, detailsExpiredAt: since, links }: CampaignResults,
): Promise<CampaignResults['links']> {
  if (since !== null) throw new ApiError('not_found', { id, expiredAt: since })
  const key = { workspaceId: ctx.workspaceId, campaignId: id }
  const counts = await uniqueClicks(ctx.db, key, uniqueClicksMax)
  return links.map((link) => ({
    ...link,
    uniqueClicks: counts.find(({ position }) => position === link.position)?.count ?? 0,
  }))
}

/** Throws `not_found`. `scannersMax`: how many requests of scanners are counted at most. */
export async function readResults(
  ctx: Pick<Context, 'db'>,
  {
    workspaceId,
    id,
    scannersMax = scannersCountedMax,
  }: { workspaceId: number; id: string; scannersMax?: number },
): Promise<CampaignResults> {
  const row = await findCampaign(ctx, { workspaceId, id })
  const [{ links, ...figures }, detailsExpired, scanners] = await Promise.all([
    readFigures(ctx, { workspaceId, campaign: row }),
    detailsExpiredAt({ ...ctx, workspaceId }, row),
    scannerRequests(ctx.db, { workspaceId, campaignId: row.id }, scannersMax + 1),
  ])
  const { total, proxiedShare } = figures.audience
  const relays = Math.round(proxiedShare * total)
  return {
    ...figures,
    tracked: { opens: row.trackOpens, clicks: row.trackClicks },
    openers: { people: total - relays, relays },
    scanners: {
      opens: Math.min(scanners.opens, scannersMax),
      moreOpens: scanners.opens > scannersMax,
      clicks: Math.min(scanners.clicks, scannersMax),
      moreClicks: scanners.clicks > scannersMax,
    },
    detailsExpiredAt: detailsExpired,
    links: withShares(links),
  }
}

/** Adds each link's share of all clicks. */
export function withShares(links: CampaignFigures['links']): CampaignResults['links'] {
  const clicks = links.reduce((sum, link) => sum + link.clicks, 0)
  return links.map((link) => ({ ...link, share: clicks === 0 ? 0 : link.clicks / clicks }))
}
