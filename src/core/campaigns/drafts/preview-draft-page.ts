/** Renders a draft's page as one reader's mail program would show it, for a sandboxed frame. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { preferScheme } from '../../../mail/html/prefer-scheme.ts'
import type { CallContext } from '../../context.ts'
import { frameMail } from '../../presentation/mail-frame.ts'
import { previewCampaign } from '../preview-campaign.ts'

export async function previewDraftPage(
  ctx: CallContext,
  { params: { id }, query }: InputOf<'previewDraftPage'>,
): Promise<AnswerOf<'previewDraftPage'>> {
  const { html } = await previewCampaign(ctx, ctx.workspaceId, { id, email: query.email?.toLowerCase() || null })
  const page = preferScheme(html, query.dark === '1' ? 'dark' : 'light')
  return frameMail(ctx, page, { pictures: query.images === '1' })
}
