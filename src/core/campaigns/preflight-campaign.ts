/**
 * Checks a campaign before it is sent: what blocks it, what would harm it, and whom it would reach.
 * Sends nothing.
 */
import { ApiError } from '../../contract/errors.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import type { Context } from '../context.ts'
import { draftAsTyped } from './drafts/draft-as-typed.ts'
import { findCampaign } from './find-campaign.ts'
import { checkAudience, countAudience, type ReachedAudience } from './preflight/check-audience.ts'
import type { Counting } from './audience/count-targeted.ts'
import { checkAuthentication } from './preflight/check-authentication.ts'
import { checkBaseUrl } from './preflight/check-base-url.ts'
import { checkLinks } from './preflight/check-links.ts'
import {
  checkFields,
  checkImages,
  checkRemoved,
  checkSize,
  checkSyntax,
} from './preflight/check-mail.ts'
import { checkPostalAddress, checkSender } from './preflight/check-sender.ts'
import { problem, type Finding } from './preflight/finding.ts'

export interface Preflight {
  campaign: CampaignRow
  findings: Finding[]
  audience: ReachedAudience
}

/**
 * `captures`: whether mail stays in the capture mailbox. Throws `not_found`, and `conflict` for a
 * campaign that was sent.
 */
export async function preflightCampaign(
  ctx: Pick<Context, 'db' | 'settings' | 'resolver' | 'clock'> &
    Counting & {
      outbound: Outbound
      signal: AbortSignal
    },
  { workspaceId, id, captures }: { workspaceId: number; id: string; captures: boolean },
): Promise<Preflight> {
  const result = await findCampaign(ctx, { workspaceId, id })
  const { status } = result
  if (status !== 'draft' && status !== 'scheduled') throw new ApiError('conflict', { id, status })
  const { row: campaign, mail: typed } = await draftAsTyped(ctx, { workspaceId, row: result })
  const compiled = compileCampaign(typed)
  const audience = await countAudience(ctx, { workspaceId, campaignId: id })
  const recipients = audience.reachable
  const [sender, authentication, baseUrl, links, fields, limits] = await Promise.all([
    checkSender(ctx, { workspaceId, ...campaign }),
    checkAuthentication(ctx, { workspaceId, fromEmail: campaign.fromEmail, recipients, captures }),
    checkBaseUrl(ctx, { baseUrl: ctx.settings.baseUrl, captures }),
    checkLinks(ctx, { links: compiled.links, images: compiled.images.map(({ src }) => src) }),
    checkFields(ctx, { workspaceId, recipients, ...compiled }),
    checkAudience(ctx, { workspaceId, ...audience }),
  ])
  const address = checkPostalAddress(await workspaceSettings(ctx.db, workspaceId))
  const mail = [
    ...checkRemoved(compiled),
    ...checkImages(compiled),
    ...checkSyntax(typed),
    ...fields,
    checkSize(openTemplate(compiled)),
  ]
  const content = campaign.unfinished ? [problem('content', 'unfinished')] : []
  return {
    campaign,
    audience,
    findings: [
      ...content,
      ...sender,
      ...authentication,
      address,
      baseUrl,
      ...links,
      ...mail,
      ...limits,
    ],
  }
}
