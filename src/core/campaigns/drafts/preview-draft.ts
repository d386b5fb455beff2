/** Previews a draft for one reader: its header lines and its plain text part. */
import { previewCampaign } from '../preview-campaign.ts'
import { findDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const previewDraft: Verb<'previewDraft'> = async (ctx, { params: { id }, query }) => {
  const { version } = await findDraft(ctx, { workspaceId: ctx.workspaceId, id })
  const { html: _page, ...lines } = await previewCampaign(ctx, {
    workspaceId: ctx.workspaceId,
    id,
    email: query.email?.toLowerCase() || null,
  })
  return { body: { version, ...lines } }
}
