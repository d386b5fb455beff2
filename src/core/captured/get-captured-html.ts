/**
 * GET /captured/{id}/html: a captured mail's HTML with its own images, for a frame without scripts.
 */
import { ApiError } from '../../contract/errors.ts'
import { frameMail } from '../presentation/mail-frame.ts'
import { findCaptured } from './find-captured.ts'
import { parseCapturedMail } from './read-mail.ts'
import type { Verb } from '../verb.ts'

export const getCapturedHtml: Verb<'getCapturedHtml'> = async (ctx, { params, query }) => {
  const { mail } = await findCaptured(ctx, params.id)
  const html = await parseCapturedMail(ctx, {
    workspaceId: ctx.workspaceId,
    raw: mail.raw,
    question: { want: 'html' },
  })
  if (html === null) throw new ApiError('not_found', { id: params.id })
  return frameMail(ctx, { html, pictures: query.images === '1' })
}
