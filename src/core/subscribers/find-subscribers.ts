/**
 * GET /audience: finds a workspace's subscribers by all filters at once, newest first; each page
 * has a limited amount of work.
 */
import { listFound } from '../audience/search-subscribers.ts'
import type { Verb } from '../verb.ts'

export const findSubscribers: Verb<'findSubscribers'> = async (ctx, { query }) => {
  const { limit: _limit, cursor: _cursor, ...filter } = query
  return {
    body: await listFound(ctx, {
      ...query,
      binding: [ctx.workspaceId, 'audience', filter],
      isFull: false,
    }),
  }
}
