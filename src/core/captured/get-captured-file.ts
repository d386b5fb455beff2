/** GET /captured/{id}/files/{position}: an attachment of a captured mail. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { findCaptured } from './find-captured.ts'
import { parseCapturedMail } from './read-mail.ts'

export async function getCapturedFile(
  ctx: CallContext,
  { params }: InputOf<'getCapturedFile'>,
): Promise<AnswerOf<'getCapturedFile'>> {
  const { mail } = await findCaptured(ctx, params.id)
  const index = /^\d{1,3}$/.test(params.position) ? Number(params.position) : null
  const file = index === null ? null : await parseCapturedMail(ctx, mail.raw, { want: 'file', index })
  if (!file) throw new ApiError('not_found', params)
  // Never the type that the mail names, so that a browser does not open it in place.
  return { body: { type: 'application/octet-stream', name: file.name ?? 'file', octets: Buffer.from(file.content) } }
}
