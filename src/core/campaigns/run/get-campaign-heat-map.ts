/**
 * GET /campaigns/{id}/heat-map: the mail as it was sent, with clicks drawn on its links; scripts
 * and links are disabled.
 */
import { ApiError, type Language } from '../../../contract/errors.ts'
import { compiledCampaign } from '../../../db/campaigns/campaigns.ts'
import { openTemplate } from '../../../mail/campaign/campaign-template.ts'
import { drawHeatMap, levelMax, type LinkHeat } from '../../../mail/campaign/heat-map.ts'
import { frameMail } from '../../presentation/mail-frame.ts'
import { findCampaign } from '../find-campaign.ts'
import { readFigures } from '../get-campaign-stats.ts'
import { withShares } from './get-campaign-results.ts'
import { asCompiled } from '../../presentation/as-compiled.ts'
import type { Verb } from '../../verb.ts'

/** Throws `not_found`, also before the freeze, when there is no mail to draw on. */
export const getCampaignHeatMap: Verb<'getCampaignHeatMap'> = async (ctx, { params, query }) => {
  const campaign = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const { id } = campaign
  const [stored, figures] = await Promise.all([
    compiledCampaign(ctx.db, ctx.workspaceId, id),
    readFigures(ctx, { workspaceId: ctx.workspaceId, campaign }),
  ])
  if (stored === null) throw new ApiError('not_found', { id })
  const compiled = asCompiled(stored)
  const links = withShares(figures.links)
  const max = Math.max(0, ...links.map(({ clicks }) => clicks))
  const heats = new Map(
    links.map((link) => [
      link.position,
      heatOf(link, max, query.language ?? ctx.settings.language),
    ]),
  )
  const html = drawHeatMap(compiled.html, (position) => heats.get(position) ?? null)
  const page = openTemplate({ ...compiled, html }).renderHtml(null, null)
  return frameMail(ctx, { html: page, pictures: query.images === '1' })
}

/** The most clicked link is the hottest; a link with any click is never cold. */
function heatOf(
  { clicks, share }: { clicks: number; share: number },
  max: number,
  language: Language,
): LinkHeat {
  const level = clicks === 0 ? 0 : Math.max(1, Math.ceil((clicks / max) * levelMax))
  const percent = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 1,
  }).format(share)
  return { level, label: `${percent} · ${new Intl.NumberFormat(language).format(clicks)}` }
}
