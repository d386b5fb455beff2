/** GET /audience/count: counts the contacts of a filter; those of a text up to a limit. */
import type { ContactFilter } from '../../../contract/workspace/audience-list.ts'
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countSought } from '../../../db/audience/segments/audience-pages.ts'
import type { CallContext } from '../../context.ts'
import type { Verb } from '../../verb.ts'
import { recentCount } from './recent-counts.ts'
import { definitionOf, seek } from './seek.ts'

const { countedMax } = audienceLimits
const { countSecondsMax: seconds, recentSeconds } = segmentLimits

export const countFilteredContacts: Verb<'countFilteredContacts'> = async (ctx, { query }) => {
  const { recent, ...filter } = query
  const body =
    recent === undefined
      ? await count(ctx, filter)
      : await recentCount(ctx, {
          key: JSON.stringify([ctx.workspaceId, await definitionOf(ctx, filter), filter.q]),
          ...{ seconds: recentSeconds, count: () => count(ctx, filter) },
        })
  return { body: { object: 'contact_count', ...body } }
}

async function count(
  ctx: CallContext,
  query: ContactFilter,
): Promise<{ count: number; more: boolean }> {
  const max = (query.q ?? '') === '' ? null : countedMax
  const limits = { max: max === null ? null : max + 1, timeoutMs: seconds * 1_000 }
  const matching = await seek(ctx, {
    ...{ filter: query, seconds },
    read: (tx, sought) => countSought(tx, sought, limits),
  })
  const more = max !== null && matching > max
  return { count: more ? max : matching, more }
}
