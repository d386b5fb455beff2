/** GET /captured/{id}/raw: the bytes of a captured mail as they would have left. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { findCaptured } from './find-captured.ts'

export async function getCapturedRaw(
  ctx: CallContext,
  { params }: InputOf<'getCapturedRaw'>,
): Promise<AnswerOf<'getCapturedRaw'>> {
  const { mail } = await findCaptured(ctx, params.id)
  return { body: { type: 'message/rfc822', name: `${params.id}.eml`, octets: mail.raw } }
}
