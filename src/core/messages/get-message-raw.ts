/** GET /messages/{id}/raw: the composed mail, for a mail program to open. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { contentOf } from './compose-message.ts'
import { findMessage } from './find-message.ts'

export async function getMessageRaw(ctx: CallContext, { params }: InputOf<'getMessageRaw'>): Promise<AnswerOf<'getMessageRaw'>> {
  const { raw } = await contentOf(ctx, await findMessage(ctx, params.id))
  return { body: { type: 'message/rfc822', name: `${params.id}.eml`, octets: await raw() } }
}
