/** A campaign as one reader would see it, before it is sent; without anybody's personal links, so that nothing comes of a click. */
import { ApiError } from '../../contract/errors.ts'
import { subscriberByEmail } from '../../db/subscribers.ts'
import { compileCampaign } from '../../mail/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign-template.ts'
import type { Context } from '../context.ts'
import { draftToCompile } from './draft-to-compile.ts'
import { findCampaign } from './find-campaign.ts'

export interface Preview {
  subject: string
  html: string
  text: string
}

/** `email`, lower-cased: the subscriber whose values are filled in; null: the defaults of the merge tags. Throws `not_found`. */
export async function previewCampaign(
  ctx: Pick<Context, 'db' | 'settings'>,
  workspaceId: number,
  { id, email }: { id: string; email: string | null },
): Promise<Preview> {
  const row = await findCampaign(ctx, workspaceId, id)
  const person = email === null ? null : await subscriberByEmail(ctx.db, workspaceId, email)
  if (email !== null && !person) throw new ApiError('not_found', { email })
  const template = openTemplate(compileCampaign(await draftToCompile(ctx, workspaceId, row)))
  return {
    subject: template.renderSubject(person),
    html: template.renderHtml(person, null),
    text: template.renderText(person, null),
  }
}
