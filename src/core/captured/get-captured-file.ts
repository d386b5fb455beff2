/** GET /captured/{id}/files/{position}: an attachment of a captured mail. */
import { ApiError } from '../../contract/errors.ts'
import { findCaptured } from './find-captured.ts'
import { parseCapturedMail } from './read-mail.ts'
import type { Verb } from '../verb.ts'

export const getCapturedFile: Verb<'getCapturedFile'> = async (ctx, { params }) => {
  const { mail } = await findCaptured(ctx, params.id)
  const index = /^\d{1,3}$/.test(params.position) ? Number(params.position) : null
  const file =
    index === null
      ? null
      : await parseCapturedMail(ctx, {
          workspaceId: ctx.workspaceId,
          raw: mail.raw,
          question: { want: 'file', index },
        })
  if (!file) throw new ApiError('not_found', params)
  // Never the type that the mail names, so that a browser does not open it in place.
  return {
    body: {
      type: 'application/octet-stream',
      name: file.name ?? 'file',
      bytes: Buffer.from(file.content),
    },
  }
}
