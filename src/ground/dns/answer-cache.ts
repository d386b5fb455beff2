/** Answers for as long as their TTL allows, and no longer than we can bear to be wrong. */
import type { Clock } from '../clock.ts'
import { setLast } from '../set-last.ts'
import type { Lookup } from './lookup.ts'

const entriesMax = 10_000
/**
 * Seconds: a record that was moved is found again within the hour, one that was just made within
 * the minute.
 */
const foundMax = 3600
const absentMax = 60
/** RFC 9520 3.2: failures are kept for a moment, so that a broken name costs little. */
const failedSeconds = 2

export function createAnswerCache(clock: Pick<Clock, 'monotonicMs'>) {
  const entries = new Map<string, { lookup: Lookup; untilMs: number }>()
  return {
    find(key: string): Lookup | undefined {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.untilMs > clock.monotonicMs()) return entry.lookup
      entries.delete(key)
      return undefined
    },
    keep(key: string, lookup: Lookup): void {
      const seconds = secondsOf(lookup)
      if (seconds === 0) entries.delete(key)
      else
        setLast(entries, key, { lookup, untilMs: clock.monotonicMs() + seconds * 1000 }, entriesMax)
    },
  }
}

function secondsOf(lookup: Lookup): number {
  if (lookup.kind === 'failed') return failedSeconds
  return Math.min(lookup.ttl, lookup.kind === 'found' ? foundMax : absentMax)
}
