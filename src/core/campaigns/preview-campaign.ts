/**
 * Renders a campaign as one reader would see it before it is sent, without personal links, so that
 * clicks have no effect.
 */
import type { DraftPreview } from '../../contract/workspace/drafts.ts'
import { ApiError } from '../../contract/errors.ts'
import { subscriberByEmail } from '../../db/audience/subscribers.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import { fillTags } from '../../mail/merge/merge-tags.ts'
import type { Context } from '../context.ts'
import { senderOf } from '../presentation/present-campaign.ts'
import { draftAsTyped } from './drafts/draft-as-typed.ts'
import { findCampaign } from './find-campaign.ts'

export type CampaignPreview = Omit<DraftPreview, 'version'> & { html: string }

/**
 * `email` is the lower-cased address of the subscriber whose values are filled in. Null means the
 * defaults of the merge tags. Throws `not_found`.
 */
export async function previewCampaign(
  ctx: Pick<Context, 'db' | 'settings'>,
  { workspaceId, id, email }: { workspaceId: number; id: string; email: string | null },
): Promise<CampaignPreview> {
  const campaign = await findCampaign(ctx, { workspaceId, id })
  const contact = email === null ? null : await subscriberByEmail(ctx.db, workspaceId, email)
  if (email !== null && !contact) throw new ApiError('not_found', { email })
  const { row, mail, leftOut } = await draftAsTyped(ctx, { workspaceId, row: campaign })
  const template = openTemplate(compileCampaign(mail))
  return {
    subject: template.renderSubject(contact),
    preheader: fillTags(mail.preheader ?? '', contact),
    from: senderOf(row),
    html: template.renderHtml(contact, null),
    text: template.renderText(contact, null),
    leftOut,
  }
}
