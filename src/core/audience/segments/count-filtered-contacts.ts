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
const { countSecondsMax: seconds } = segmentLimits

export const countFilteredContacts: Verb<'countFilteredContacts'> = async (ctx, { query }) => {
  const { recent, ...filter } = query
  const isShared = recent !== undefined && isOfSegment(filter)
  const body = isShared ? await countShared(ctx, filter) : await count(ctx, filter)
  return { body: { object: 'contact_count', ...body } }
}

/** Saved segments are few: what else members type is counted for them alone. */
const isOfSegment = ({ segment = '', definition = '', q = '' }: ContactFilter): boolean =>
  segment !== '' && definition === '' && q === ''

/** For all who ask meanwhile: it goes on where the one who asked first leaves. */
async function countShared(ctx: CallContext, filter: ContactFilter): ReturnType<typeof count> {
  const key = JSON.stringify(await definitionOf(ctx, filter))
  return recentCount(ctx, { key, count: () => count({ ...ctx, left: undefined }, filter) })
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
