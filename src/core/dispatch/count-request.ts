/** Counts requests against the rate, over all processes: what one turn of the event loop asks is one statement (semantics 4: Rates). */
import { limits } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import { countRequests, makeCounters } from '../../db/request-rates.ts'
import type { CallerRequests, CountedCaller } from '../../db/request-rates.ts'
import type { Database } from '../../db/connect.ts'
import { gatherByWorkspace } from '../../gather.ts'

/** One request to be counted: by its key and the permission it wants, or by the address it came from. */
export type Caller = { digest: Buffer; scope: Scope | null } | { address: string }

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
  /** The key, when it exists and is good; the permission may still be missing. */
  caller: CountedCaller
}

/** Counts one request of a workspace's key; workspace 0 counts by address. */
export type CountRequest = (workspaceId: number, caller: Caller) => Promise<CountedRequest>

export function createRequestCounter(db: Database): CountRequest {
  return gatherByWorkspace({
    groupMax: 512,
    // Two would wait for each other's row lock.
    atOnceMax: 1,
    work: async (workspaceId: number, callers: Caller[]) => {
      const groups = groupCallers(callers)
      const asked = groups.map((group) => group.asked)
      let counted = await countRequests(db, workspaceId, asked, limits.requestsPerMinute)
      const missing = counted.filter((row) => row.bucket !== null && row.granted === null).map((row) => row.bucket ?? '')
      if (missing.length > 0) {
        await makeCounters(db, workspaceId, missing)
        counted = await countRequests(db, workspaceId, asked, limits.requestsPerMinute)
      }
      return shareOut(callers.length, groups, counted)
    },
  })
}

interface Group {
  asked: CallerRequests
  members: number[]
}

function groupCallers(callers: Caller[]): Group[] {
  const groups = new Map<string, Group>()
  callers.forEach((caller, index) => {
    const byKey = 'digest' in caller
    const name = byKey ? `${caller.digest.toString('base64')} ${caller.scope ?? ''}` : caller.address
    const group = groups.get(name)
    if (group) {
      group.members.push(index)
      group.asked.requests++
    } else {
      const asked = {
        digest: byKey ? caller.digest : null,
        address: byKey ? null : caller.address,
        scope: byKey ? caller.scope : null,
        requests: 1,
      }
      groups.set(name, { asked, members: [index] })
    }
  })
  return [...groups.values()]
}

/** Gives each request its own place in what its group was granted, in the order of arrival. */
function shareOut(requests: number, groups: Group[], counted: CountedCaller[]): CountedRequest[] {
  const results: CountedRequest[] = Array.from({ length: requests })
  const passedBefore = new Map<string, number>()
  groups.forEach((group, place) => {
    const caller = counted[place]
    if (!caller) throw new Error('A caller was not counted')
    const bucket = caller.bucket ?? ''
    const before = caller.used + (passedBefore.get(bucket) ?? 0)
    const granted = caller.granted ?? 0
    passedBefore.set(bucket, (passedBefore.get(bucket) ?? 0) + granted)
    group.members.forEach((index, order) => {
      const passes = order < granted
      const resetAt = caller.oldest + 61
      results[index] = {
        caller,
        rate: {
          passes,
          limit: caller.perMinute,
          remaining: Math.max(0, caller.perMinute - before - Math.min(order + 1, granted)),
          resetAt,
          retryAfter: Math.max(1, resetAt - caller.now),
        },
      }
    })
  })
  return results
}
