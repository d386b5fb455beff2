/** GET /captured/{id}/raw: the bytes of a captured mail as they would have left. */
import { findCaptured } from './find-captured.ts'
import type { Verb } from '../verb.ts'

export const getCapturedRaw: Verb<'getCapturedRaw'> = async (ctx, { params }) => {
  const { mail } = await findCaptured(ctx, params.id)
  return { body: { type: 'message/rfc822', name: `${params.id}.eml`, bytes: mail.raw } }
}
