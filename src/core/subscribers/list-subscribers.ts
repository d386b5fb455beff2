/** GET /subscribers: lists subscribers newest first, by status and by a part of the address or of a name. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { searchSubscribers } from '../audience/search-subscribers.ts'
import type { CallContext } from '../context.ts'

export async function listSubscribers(
  ctx: CallContext,
  { query }: InputOf<'listSubscribers'>,
): Promise<AnswerOf<'listSubscribers'>> {
  return { body: await searchSubscribers(ctx, query) }
}
