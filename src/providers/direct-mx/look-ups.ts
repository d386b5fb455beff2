/**
 * Limits envelopes that wait for the look-up of their domain: a list for one with silent name servers does not take
 * others' slots.
 */
import { waitAtMost, type Clock } from '../../clock.ts'
import type { Outcome } from '../provider.ts'
import type { FindRoute, Route } from './find-route.ts'

type Postponed = Extract<Outcome, { kind: 'postponed' }>

/** Beyond this number, envelopes of one domain wait for its look-up a moment only. */
const lineMax = 40
const crowdedMs = 250
/** The envelopes come again once the look-up has probably ended. */
const returnsMs = 5_000
/** A look-up that takes longer counts as slow. */
const slowMs = 1_000

export function createLookUps(clock: Clock, findRoute: FindRoute) {
  /** How many wait for a domain, and since when the first does. */
  const waits = new Map<string, { sinceMs: number; waiting: number }>()
  const orPostponed = async (route: Promise<Route>, atMs: number): Promise<Route | Postponed> => {
    const found = await waitAtMost(clock, Math.max(0, atMs - clock.monotonicMs()), route)
    return found ?? { kind: 'postponed', afterMs: returnsMs * (1 + Math.random()), response: null }
  }
  return {
    async find(domain: string): Promise<Route | Postponed> {
      const wait = waits.get(domain) ?? { sinceMs: clock.monotonicMs(), waiting: 0 }
      waits.set(domain, wait)
      const isCrowded = ++wait.waiting > lineMax
      try {
        const route = findRoute(domain)
        return isCrowded ? await orPostponed(route, wait.sinceMs + crowdedMs) : await route
      } finally {
        if (--wait.waiting === 0) waits.delete(domain)
      }
    },
    /** Envelopes that wait for slow look-ups. */
    countSlow(): number {
      const beforeMs = clock.monotonicMs() - slowMs
      let count = 0
      for (const { sinceMs, waiting } of waits.values()) if (sinceMs < beforeMs) count += waiting
      return count
    },
  }
}
