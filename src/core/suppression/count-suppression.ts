/** GET /suppression/count: how many entries each reason has, up to a limit. */
import { suppressionReasons, type SuppressionReason } from '../../contract/suppression.ts'
import { countedEntriesMax } from '../../contract/counted.ts'
import {
  countByReason,
  countMatchingEntries,
  type ReasonCount,
} from '../../db/suppression/suppression-pages.ts'
import type { CallContext } from '../context.ts'
import type { Verb } from '../verb.ts'
import { readSuppressionFilter, upTo } from './read-suppression-filter.ts'

/** Reads on connections of counts, for which the sending of mail never waits. */
export const countSuppression: Verb<'countSuppression'> = async (ctx, { query }) => {
  const { filter, to } = readSuppressionFilter(query)
  const isSearch = filter.q !== null
  const { counts, hasMore } = isSearch
    ? await countSearch(ctx, filter, to)
    : { counts: await countAll(ctx, filter.from, to), hasMore: false }
  const bounded = (count: number) => ({
    count: Math.min(count, countedEntriesMax),
    more: hasMore || count > countedEntriesMax,
  })
  const countOf = (reason: SuppressionReason): number =>
    counts.find((row) => row.reason === reason)?.count ?? 0
  const reasons = {
    unsubscribe: bounded(countOf('unsubscribe')),
    manual: bounded(countOf('manual')),
    bounce: bounded(countOf('bounce')),
    complaint: bounded(countOf('complaint')),
  }
  const removableOf = (reason: SuppressionReason): number =>
    counts.find((row) => row.reason === reason)?.removable ?? 0
  const all = suppressionReasons.map((reason) => reasons[reason])
  return {
    body: {
      object: 'suppression_count',
      count: all.reduce((sum, { count }) => sum + count, 0),
      more: all.some(({ more }) => more),
      reasons,
      removable: {
        manual: bounded(removableOf('manual')),
        bounce: bounded(removableOf('bounce')),
      },
    },
  }
}

type Filter = ReturnType<typeof readSuppressionFilter>['filter']

const countAll = (
  ctx: CallContext,
  from: string | null,
  to: string | null,
): Promise<ReasonCount[]> =>
  countByReason(ctx.segmentDb, ctx.workspaceId, { from, to, max: countedEntriesMax + 1 })

async function countSearch(
  ctx: CallContext,
  filter: Filter,
  to: string | null,
): Promise<{ counts: ReasonCount[]; hasMore: boolean }> {
  const range = { filter, before: upTo(null, to), scannedMax: countedEntriesMax }
  const counts = await countMatchingEntries(ctx.segmentDb, ctx.workspaceId, range)
  const examined = counts.reduce((sum, row) => sum + row.examined, 0)
  return { counts, hasMore: examined === countedEntriesMax }
}
