/** A campaign as one reader would see it, before it is sent; without anybody's personal links, so that nothing comes of a click. */
import { formatMailbox } from '../../contract/address.ts'
import { ApiError } from '../../contract/errors.ts'
import { subscriberByEmail } from '../../db/subscribers/subscribers.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import { fillTags } from '../../mail/merge/merge-tags.ts'
import type { Context } from '../context.ts'
import { draftAsTyped } from './drafts/draft-as-typed.ts'
import { findCampaign } from './find-campaign.ts'

export interface CampaignPreview {
  subject: string
  preheader: string
  /** As the header shows it; null while there is no sender. */
  from: string | null
  html: string
  text: string
  /** Of an unfinished draft: blocks, or a whole page, that cannot be shown as they are. */
  leftOut: number
}

/** `email`, lower-cased: the subscriber whose values are filled in; null: the defaults of the merge tags. Throws `not_found`. */
export async function previewCampaign(
  ctx: Pick<Context, 'db' | 'settings'>,
  workspaceId: number,
  { id, email }: { id: string; email: string | null },
): Promise<CampaignPreview> {
  const found = await findCampaign(ctx, workspaceId, id)
  const person = email === null ? null : await subscriberByEmail(ctx.db, workspaceId, email)
  if (email !== null && !person) throw new ApiError('not_found', { email })
  const { row, mail, leftOut } = await draftAsTyped(ctx, workspaceId, found)
  const template = openTemplate(compileCampaign(mail))
  return {
    subject: template.renderSubject(person),
    preheader: fillTags(mail.preheader ?? '', person),
    from: row.fromEmail === null ? null : formatMailbox({ name: row.fromName, address: row.fromEmail }),
    html: template.renderHtml(person, null),
    text: template.renderText(person, null),
    leftOut,
  }
}
