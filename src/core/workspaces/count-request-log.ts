/** GET /requests/count: how many calls of the log match, by result, among the newest of each. */
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { countLoggedCalls } from '../../db/workspaces/request-log.ts'
import { readIdPeriod } from '../input/read-id-period.ts'
import type { Verb } from '../verb.ts'
import { readRequestFilter } from './list-requests.ts'

/** Reads on connections of counts, for which the sending of mail never waits. */
export const countRequestLog: Verb<'countRequestLog'> = async (ctx, { query }) => {
  const { from, to: before } = readIdPeriod(query)
  const counts = await countLoggedCalls(ctx.segmentDb, ctx.workspaceId, {
    filter: readRequestFilter(query),
    range: { before, from, scannedMax: countedEntriesMax + 1 },
  })
  const of = (outcome: string) =>
    boundedCount(counts.find((row) => row.outcome === outcome) ?? { count: 0, examined: 0 })
  return {
    body: {
      ...{ object: 'request_count', ...of('all') },
      statuses: { succeeded: of('succeeded'), refused: of('refused'), failed: of('failed') },
    },
  }
}
