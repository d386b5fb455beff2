/** Compiles a campaign: renders its content once, with marks where personal values go. */
import { listHeaders } from './campaign-headers.ts'
import type { CampaignToCompile, CompiledCampaign } from '../merge/compiled-campaign.ts'
import { createMarkTable } from '../merge/mark-table.ts'
import { renderCampaign } from './render-campaign.ts'

/**
 * Takes milliseconds, once. `validateContent` has validated the source, so this refuses nothing.
 */
export function compileCampaign(campaign: CampaignToCompile): CompiledCampaign {
  const table = createMarkTable()
  const { from, replyTo = [], returnPathHost, baseUrl, trackOpens, trackClicks } = campaign
  return {
    version: 1,
    boundary: `=_a-${campaign.campaignId}`,
    from: { name: from.name, address: from.address },
    ...(replyTo.length > 0 && { replyTo }),
    ...{ returnPathHost, baseUrl, trackOpens, trackClicks },
    listHeaders: listHeaders(campaign),
    ...renderCampaign(campaign, table),
    tags: table.tags,
    links: table.links,
    images: table.images,
    removed: table.removed,
  }
}
