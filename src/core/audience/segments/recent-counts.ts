/**
 * Remembers in this process what was counted lately: the list of segments shows many counts to each
 * member, and those of the last minutes will do.
 */
import { ApiError } from '../../../contract/errors.ts'
import type { Connection } from '../../../database/client/connect.ts'
import type { CallContext } from '../../context.ts'

interface RecentCount {
  atMs: number
  result: Promise<unknown>
}

const countsOf = new WeakMap<Connection, Map<string, RecentCount>>()

/** A count that ended after its time is remembered too: it would end like that again. */
export function recentCount<T>(
  { segmentDb, clock }: Pick<CallContext, 'segmentDb' | 'clock'>,
  { key, seconds, count }: { key: string; seconds: number; count: () => Promise<T> },
): Promise<T> {
  const counts = countsOf.get(segmentDb) ?? new Map<string, RecentCount>()
  countsOf.set(segmentDb, counts)
  const nowMs = clock.monotonicMs()
  for (const [each, { atMs }] of counts) if (nowMs - atMs > seconds * 1_000) counts.delete(each)
  const recent = counts.get(key)
  // The key names what is counted, and with it the type of the result.
  if (recent) return recent.result as Promise<T>
  const result = count()
  counts.set(key, { atMs: nowMs, result })
  result.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') counts.delete(key)
  })
  return result
}
