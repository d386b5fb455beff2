/**
 * Limits envelopes that wait for the look-up of their domain: a list for one with silent name
 * servers does not take others' slots.
 */
import { waitAtMost, type Clock } from '../../ground/clock.ts'
import type { Outcome } from '../provider.ts'
import type { FindRoute, Route } from './find-route.ts'

type Postponed = Extract<Outcome, { kind: 'postponed' }>

/** Beyond this number, envelopes of one domain wait for its look-up a moment only. */
const lineMax = 40
const crowdedMs = 250
/** The envelopes come again once the look-up has probably ended. */
const returnsMs = 5_000
/**
 * A look-up that takes longer counts as slow. Beyond this number in all, envelopes wait for no
 * look-up longer than a moment.
 */
const slowMs = 1_000
const slowMax = 96
const countedMs = 100

export function createLookUps(clock: Clock, findRoute: FindRoute) {
  let slow = { count: 0, atMs: -Infinity }
  /** How many wait for a domain, and since when the first does. */
  const waits = new Map<string, { sinceMs: number; waiting: number }>()
  const orPostponed = async (route: Promise<Route>, atMs: number): Promise<Route | Postponed> => {
    const result = await waitAtMost(clock, Math.max(0, atMs - clock.monotonicMs()), route)
    return result ?? { kind: 'postponed', afterMs: returnsMs * (1 + Math.random()), response: null }
  }
  /** Envelopes that wait for slow look-ups. */
  const countSlow = (): number => {
    const nowMs = clock.monotonicMs()
    if (nowMs - slow.atMs < countedMs) return slow.count
    let count = 0
    for (const { sinceMs, waiting } of waits.values())
      if (sinceMs < nowMs - slowMs) count += waiting
    slow = { count, atMs: nowMs }
    return count
  }
  return {
    countSlow,
    async find(domain: string): Promise<Route | Postponed> {
      const wait = waits.get(domain) ?? { sinceMs: clock.monotonicMs(), waiting: 0 }
      waits.set(domain, wait)
      const isCrowded = ++wait.waiting > lineMax || countSlow() >= slowMax
      try {
        const route = findRoute(domain)
        return isCrowded ? await orPostponed(route, wait.sinceMs + crowdedMs) : await route
      } finally {
        if (--wait.waiting === 0) waits.delete(domain)
      }
    },
  }
}
