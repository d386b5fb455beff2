/**
 * GET /subscribers: lists subscribers newest first, by status and by a part of the address or of a
 * name; for users by tag, source and field too.
 */
import { searchSubscribers } from './search-subscribers.ts'
import type { Verb } from '../../verb.ts'

export const listSubscribers: Verb<'listSubscribers'> = async (ctx, { query }) => {
  return { body: await searchSubscribers(ctx, query) }
}
