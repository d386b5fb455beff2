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
  const seeking = { written: await definitionOf(ctx, filter), q: filter.q }
  const body = isShared ? await countShared(ctx, seeking) : await count(ctx, seeking)
  return { body: { object: 'contact_count', ...body } }
}

/** Saved segments are few: what else members type is counted for them alone. */
const isOfSegment = ({ segment = '', definition = '', q = '' }: ContactFilter): boolean =>
  segment !== '' && definition === '' && q === ''

type Counted = Pick<Parameters<typeof seek>[1], 'written' | 'q'>

/**
 * For all who ask meanwhile: it goes on where the one who asked first leaves. What is counted is
 * what the key names, also where the segment changes meanwhile.
 */
const countShared = (ctx: CallContext, counted: Counted): ReturnType<typeof count> =>
  recentCount(ctx, {
    key: JSON.stringify(counted.written),
    count: () => count({ ...ctx, left: undefined }, counted),
  })

async function count(
  ctx: CallContext,
  { written, q = '' }: Counted,
): Promise<{ count: number; more: boolean }> {
  const max = q === '' ? null : countedMax
  const limits = { max: max === null ? null : max + 1, timeoutMs: seconds * 1_000 }
  const matching = await seek(ctx, {
    ...{ written, q, seconds },
    read: (tx, sought) => countSought(tx, sought, limits),
  })
  const more = max !== null && matching > max
  return { count: more ? max : matching, more }
}
