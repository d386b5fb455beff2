/** Counts the files that a workspace has fetched in any minute, over all processes. */
import { ApiError } from '../../contract/errors.ts'
import { limits, rateWindowSeconds } from '../../contract/limits.ts'
import {
  countRequests,
  giveBackRequests,
  makeCounters,
  type CountedCaller,
} from '../../db/workspaces/request-rates.ts'
import type { CallContext } from '../context.ts'

/** The name of a workspace's counter, beside those of its keys, which are their ids. */
const bucket = 'fetched files'

/** Counts all of them or none; throws `rate_limit_exceeded`. */
export async function countFetches(
  ctx: Pick<CallContext, 'countingDb' | 'workspaceId'>,
  files: number,
): Promise<void> {
  const counted = await count(ctx, files)
  const { granted, now, oldest } = counted
  if (granted === files) return
  if (granted) await giveBackRequests(ctx.countingDb, ctx.workspaceId, bucket, now, granted)
  const retryAfter = Math.max(1, Math.min(oldest + rateWindowSeconds + 1 - now, rateWindowSeconds))
  const details = { limit: limits.fetchesPerMinute, retry_after: retryAfter }
  throw new ApiError('rate_limit_exceeded', { reason: 'fetches', ...details }, retryAfter)
}

async function count(
  { countingDb, workspaceId }: Pick<CallContext, 'countingDb' | 'workspaceId'>,
  requests: number,
): Promise<CountedCaller> {
  for (;;) {
    const requested = [{ digest: null, address: bucket, scope: null, requests }]
    const max = limits.fetchesPerMinute
    const [counted] = await countRequests(countingDb, workspaceId, requested, max)
    if (!counted) throw new Error('Files were not counted')
    if (counted.granted !== null) return counted
    await makeCounters(countingDb, workspaceId, [bucket])
  }
}
