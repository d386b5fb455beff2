/** A draft's page as one reader's mail program would show it, for a sandboxed frame. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { holdPictures } from '../../../mail/hold-pictures.ts'
import { preferScheme } from '../../../mail/prefer-scheme.ts'
import type { CallContext } from '../../context.ts'
import { imageFolder } from '../../images/image-address.ts'
import { previewCampaign } from '../preview-campaign.ts'

export async function previewDraftPage(
  ctx: CallContext,
  { params: { id }, query }: InputOf<'previewDraftPage'>,
): Promise<AnswerOf<'previewDraftPage'>> {
  const { html } = await previewCampaign(ctx, ctx.workspaceId, { id, email: query.email?.toLowerCase() || null })
  const page = preferScheme(html, query.dark === '1' ? 'dark' : 'light')
  // Our own pictures are shown by whatever name the page itself was asked: the frame lets nothing in from elsewhere.
  const near = page.replaceAll(`src="${ctx.settings.baseUrl}${imageFolder}`, `src="${imageFolder}`)
  const shown = query.images === '1' ? near : holdPictures(near)
  return { body: { type: 'text/html; charset=utf-8', name: null, octets: Buffer.from(shown) } }
}
