/**
 * Counts requests against the rate over all processes. The requests of one turn of the event loop
 * share a statement (semantics 4: Rates).
 */
import { limits, rateWindowSeconds } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import {
  countRequests,
  makeCounters,
  type CallerRequests,
  type CountedCaller,
} from '../../db/workspaces/request-rates.ts'
import type { Database } from '../../database/client/database.ts'
import { madeForEach, ofWorkspace } from '../databases.ts'
import type { Context, Service } from '../context.ts'
import { createPrefetch, prefetchFromPerMinute, type Prefetched } from './prefetched-requests.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'

export interface Rate {
  passes: boolean
  limit: number
  remaining: number
  /** Seconds since 1970. */
  resetAt: number
  retryAfter: number
}

export interface CountedRequest {
  rate: Rate
  /** The valid key; the required permission may still be missing. */
  caller: CountedCaller
}

/** A request to count: by its key and required permission, or by its address. */
export type Caller = { digest: Buffer; scope: Scope | null } | { address: string }

/** Counts one request of a workspace's key; workspace 0 counts requests by address. */
export type CountRequest = (workspaceId: number, caller: Caller) => Promise<CountedRequest>

/**
 * Counts in the database of each workspace; calls without a valid key, and those of users, are
 * counted in the first one.
 */
export function countInEachDatabase(service: Service): CountRequest {
  const counterIn = madeForEach((each: Service) => createRequestCounter(each.countingDb, each))
  return async (workspaceId, caller) =>
    counterIn(await ofWorkspace(service, workspaceId))(workspaceId, caller)
}

export function createRequestCounter(
  db: Database,
  { clock, log }: Pick<Context, 'clock' | 'log'>,
): CountRequest {
  /** Of busy keys alone. */
  const prefetched = new Map<string, Prefetched>()
  const prefetch = createPrefetch({ db, clock, log }, prefetched)
  const together = gatherByWorkspace({
    // One at a time: two statements would wait for each other's row locks.
    groupMax: 512,
    work: (workspaceId) => async (callers: Caller[]) => {
      const groups = groupCallers(callers)
      const requested = groups.map(({ name, caller, members }): CallerRequests => ({
        ...{ digest: null, address: null, scope: null, ...caller },
        requests: members.length + (prefetched.get(`${workspaceId} ${name}`)?.demand() ?? 0),
      }))
      const requestedAtMs = clock.monotonicMs()
      let counted = await countRequests(db, workspaceId, requested, limits.requestsPerMinute)
      const missing = counted
        .filter((row) => row.bucket !== null && row.granted === null)
        .map((row) => row.bucket ?? '')
      if (missing.length > 0) {
        await makeCounters(db, workspaceId, missing)
        counted = await countRequests(db, workspaceId, requested, limits.requestsPerMinute)
      }
      for (const [index, { name, members }] of groups.entries()) {
        const caller = counted[index]
        if (caller && caller.perMinute >= prefetchFromPerMinute && caller.bucket !== null) {
          const grant = { workspaceId, caller, used: members.length, requestedAtMs }
          prefetch(`${workspaceId} ${name}`, grant)
        }
      }
      return shareOut(callers.length, groups, counted)
    },
  })
  return async (workspaceId, caller) => {
    const taken = prefetched.get(`${workspaceId} ${nameOf(caller)}`)?.take()
    if (!taken) return together(workspaceId, caller)
    return { caller: taken.caller, rate: quotaRateOf(taken.caller, true, taken.passed) }
  }
}

const nameOf = (caller: Caller): string =>
  'digest' in caller ? `${caller.digest.toString('base64')} ${caller.scope ?? ''}` : caller.address

interface Group {
  name: string
  caller: Caller
  members: number[]
}

function groupCallers(callers: Caller[]): Group[] {
  const groups = new Map<string, Group>()
  callers.forEach((caller, index) => {
    const name = nameOf(caller)
    const group = groups.get(name)
    if (group) group.members.push(index)
    else groups.set(name, { name, caller, members: [index] })
  })
  return [...groups.values()]
}

/** Gives each request its share of what its group was granted, in the order of arrival. */
function shareOut(requests: number, groups: Group[], counted: CountedCaller[]): CountedRequest[] {
  const results: CountedRequest[] = Array.from({ length: requests })
  const passedBefore = new Map<string, number>()
  groups.forEach((group, position) => {
    const caller = counted[position]
    if (!caller) throw new Error('A caller was not counted')
    const bucket = caller.bucket ?? ''
    const before = caller.used + (passedBefore.get(bucket) ?? 0)
    const granted = caller.granted ?? 0
    passedBefore.set(bucket, (passedBefore.get(bucket) ?? 0) + granted)
    group.members.forEach((index, order) => {
      results[index] = {
        caller,
        rate: quotaRateOf(caller, order < granted, before + Math.min(order + 1, granted)),
      }
    })
  })
  return results
}

/**
 * The rate as a request's headers show it; `passed` counts the requests of the window up to this
 * one.
 */
function quotaRateOf(caller: CountedCaller, passes: boolean, passed: number): Rate {
  // A slot counts until a second after its own minute, yet `Retry-After` is never longer than the
  // window.
  const resetAt = Math.min(caller.oldest + 61, caller.now + rateWindowSeconds)
  return {
    passes,
    limit: caller.perMinute,
    remaining: Math.max(0, caller.perMinute - passed),
    resetAt,
    retryAfter: Math.max(1, resetAt - caller.now),
  }
}
