/** Renders a draft's page as one reader's mail program would show it, for a sandboxed frame. */
import { preferScheme } from '../../../mail/html/prefer-scheme.ts'
import { frameMail } from '../../presentation/mail-frame.ts'
import { previewCampaign } from '../preview-campaign.ts'
import type { Verb } from '../../verb.ts'

export const previewDraftPage: Verb<'previewDraftPage'> = async (
  ctx,
  { params: { id }, query },
) => {
  const { html } = await previewCampaign(ctx, {
    workspaceId: ctx.workspaceId,
    id,
    email: query.email?.toLowerCase() || null,
  })
  const page = preferScheme(html, query.dark === '1' ? 'dark' : 'light')
  return frameMail(ctx, { html: page, pictures: query.images === '1' })
}
