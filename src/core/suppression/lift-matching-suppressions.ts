/**
 * POST /suppression/lift-matching: a user removes all entries that a filter selects, as many as
 * were confirmed or none, with one reason for the audit log. API keys cannot.
 */
import { ApiError } from '../../contract/errors.ts'
import { countedEntriesMax as max } from '../../contract/counted.ts'
import { reasonsLiftedTogether } from '../../contract/workspace/suppression-table.ts'
import type { Database } from '../../database/client/database.ts'
import { retrying } from '../../database/client/retrying.ts'
import {
  endOfExaminedSuppression,
  suppressionPage,
} from '../../db/suppression/suppression-pages.ts'
import type { Verb } from '../verb.ts'
import { liftEntries } from './lift-entries.ts'
import { readLiftReason } from './lift-suppression.ts'
import { readSuppressionFilter, upTo } from './read-suppression-filter.ts'

type Filter = ReturnType<typeof readSuppressionFilter>

export const liftMatchingSuppressions: Verb<'liftMatchingSuppressions'> = async (ctx, { body }) => {
  const { workspaceId } = ctx
  const why = readLiftReason(body.reason)
  const filter = readSuppressionFilter(body.matching)
  const { reason } = filter.filter
  const reasons = reason === null ? reasonsLiftedTogether : [reason]
  const { addresses, stay } = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const ids: string[] = []
      for (const each of reasons)
        ids.push(...(await findMatching(tx, workspaceId, withReason(filter, each))))
      const done = await liftEntries(tx, ctx, { ids, why })
      const { addresses: count } = done
      if (count !== body.expected)
        throw new ApiError('conflict', {
          ...{ reason: 'suppressions_changed', count, expected: body.expected },
        })
      return done
    }),
  )
  return {
    body: {
      object: 'lifted_suppressions',
      lifted: addresses,
      absent: 0,
      suppressed_by_platform: stay,
    },
  }
}

const withReason = (
  { filter, to }: Filter,
  reason: (typeof reasonsLiftedTogether)[number],
): Filter => ({ filter: { ...filter, reason }, to })

/** Throws `conflict` where there are more than one call reads. */
async function findMatching(
  tx: Database,
  workspaceId: number,
  { filter, to }: Filter,
): Promise<string[]> {
  const range = { filter, before: upTo(null, to), scannedMax: max + 1 }
  if ((await endOfExaminedSuppression(tx, workspaceId, range)) !== null)
    throw new ApiError('conflict', { reason: 'too_many_suppressions', limit: max })
  const rows = await suppressionPage(tx, workspaceId, { ...range, max })
  return rows.map(({ id }) => id)
}
