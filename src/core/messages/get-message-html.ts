/**
 * GET /messages/{id}/html: a message's HTML for a frame without scripts, with its own images
 * embedded.
 */
import { ApiError } from '../../contract/errors.ts'
import { messageAttachments } from '../../db/sending/claims.ts'
import { withOwnImages } from '../../mail/mime/own-images.ts'
import { frameMail } from '../presentation/mail-frame.ts'
import { contentOf } from './compose-message.ts'
import { findMessage, refuseExpiredContent } from './find-message.ts'
import type { Verb } from '../verb.ts'

export const getMessageHtml: Verb<'getMessageHtml'> = async (ctx, { params, query }) => {
  const message = await findMessage(ctx, params.id)
  await refuseExpiredContent(ctx, { match: message, id: params.id })
  const { html } = await contentOf(ctx, message)
  if (html === null) throw new ApiError('not_found', { id: params.id })
  const files =
    message.kind === 'single' && html.includes('cid:')
      ? await messageAttachments(ctx.db, ctx.workspaceId, message.row.id)
      : []
  const images = files.map(({ contentId, contentType, content }) => ({
    id: contentId,
    type: contentType,
    content,
  }))
  return frameMail(ctx, { html: withOwnImages(html, images), pictures: query.images === '1' })
}
