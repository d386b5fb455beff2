/** GET /captured/{id}/html: a captured mail's HTML with its own images, for a frame without scripts. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { frameMail } from '../presentation/mail-frame.ts'
import { findCaptured } from './find-captured.ts'
import { parseCapturedMail } from './read-mail.ts'

export async function getCapturedHtml(
  ctx: CallContext,
  { params, query }: InputOf<'getCapturedHtml'>,
): Promise<AnswerOf<'getCapturedHtml'>> {
  const { mail } = await findCaptured(ctx, params.id)
  const html = await parseCapturedMail(ctx, mail.raw, { want: 'html' })
  if (html === null) throw new ApiError('not_found', { id: params.id })
  return frameMail(ctx, html, { pictures: query.images === '1' })
}
