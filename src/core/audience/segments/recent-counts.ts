/**
 * Remembers in this process what was counted lately: the list of segments shows many counts to each
 * member, and those of the last minutes will do.
 */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import type { Connection } from '../../../database/client/connect.ts'
import type { CallContext } from '../../context.ts'

const { recentSeconds, recentMax } = segmentLimits

interface RecentCount {
  atMs: number
  result: Promise<unknown>
}

/** Of each workspace, the one that counted last at the end; by key, the oldest count first. */
type RecentCounts = Map<number, { atMs: number; counts: Map<string, RecentCount> }>

const all = new WeakMap<Connection, RecentCounts>()

/**
 * A count that ended after its time is remembered too: it would end like that again. Callers share
 * it, so `count` may not depend on one of them.
 */
export function recentCount<T>(
  { segmentDb, clock, workspaceId }: Pick<CallContext, 'segmentDb' | 'clock' | 'workspaceId'>,
  { key, count }: { key: string; count: () => Promise<T> },
): Promise<T> {
  const workspaces: RecentCounts = all.get(segmentDb) ?? new Map()
  all.set(segmentDb, workspaces)
  const atMs = clock.monotonicMs()
  dropOld(workspaces, atMs)
  const counts = workspaces.get(workspaceId)?.counts ?? new Map<string, RecentCount>()
  dropOld(counts, atMs)
  const recent = counts.get(key)
  // The key names what is counted, and with it the type of the result.
  if (recent) return recent.result as Promise<T>
  const [oldest] = counts.keys()
  if (oldest !== undefined && counts.size >= recentMax) counts.delete(oldest)
  const result = count()
  counts.set(key, { atMs, result })
  workspaces.delete(workspaceId)
  workspaces.set(workspaceId, { atMs, counts })
  result.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') counts.delete(key)
  })
  return result
}

/** The oldest is the first. */
function dropOld<Key>(entries: Map<Key, { atMs: number }>, nowMs: number): void {
  for (const [key, { atMs }] of entries) {
    if (nowMs - atMs <= recentSeconds * 1_000) return
    entries.delete(key)
  }
}
