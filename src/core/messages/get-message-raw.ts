/** GET /messages/{id}/raw: the composed mail, for a mail program to open. */
import { contentOf } from './compose-message.ts'
import { findMessage, refuseExpiredContent } from './find-message.ts'
import type { Verb } from '../verb.ts'

export const getMessageRaw: Verb<'getMessageRaw'> = async (ctx, { params }) => {
  const message = await findMessage(ctx, params.id)
  await refuseExpiredContent(ctx, { match: message, id: params.id })
  const { raw } = await contentOf(ctx, message)
  return { body: { type: 'message/rfc822', name: `${params.id}.eml`, bytes: await raw() } }
}
