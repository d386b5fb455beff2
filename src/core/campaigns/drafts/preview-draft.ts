/** Previews a draft for one reader: its header lines and its plain text part. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { CallContext } from '../../context.ts'
import { previewCampaign } from '../preview-campaign.ts'
import { findDraft } from './typed-draft.ts'

export async function previewDraft(
  ctx: CallContext,
  { params: { id }, query }: InputOf<'previewDraft'>,
): Promise<AnswerOf<'previewDraft'>> {
  const { version } = await findDraft(ctx, ctx.workspaceId, id)
  const { html: _page, ...lines } = await previewCampaign(ctx, ctx.workspaceId, { id, email: query.email?.toLowerCase() || null })
  return { body: { version, ...lines } }
}
