/** GET /messages/{id}/files/{position}: an attachment as it was given. */
import { ApiError } from '../../contract/errors.ts'
import { messageAttachments } from '../../db/sending/claims.ts'
import { findMessage, refuseExpiredContent } from './find-message.ts'
import type { Verb } from '../verb.ts'

export const getMessageFile: Verb<'getMessageFile'> = async (ctx, { params }) => {
  const message = await findMessage(ctx, params.id)
  await refuseExpiredContent(ctx, { match: message, id: params.id })
  const files =
    message.kind === 'single'
      ? await messageAttachments(ctx.db, ctx.workspaceId, message.row.id)
      : []
  const file = /^\d{1,3}$/.test(params.position) ? files[Number(params.position)] : undefined
  if (!file) throw new ApiError('not_found', params)
  // Never the type that the caller named, so that a browser does not open it in place.
  return {
    body: { type: 'application/octet-stream', name: file.filename ?? 'file', bytes: file.content },
  }
}
