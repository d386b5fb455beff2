/**
 * Whether the service is away: one bar says so for the whole page, in place of an alert in each of
 * its parts.
 */
import { Refusal } from './refusal.ts'

export const isAway = (error: unknown): boolean =>
  error instanceof Refusal && isAwayBy(error.status, error.notBefore !== undefined)

/**
 * 0: no answer. 502 and above: a proxy answers for a service that is not there. 500 with
 * Retry-After: the service answers while its database is away.
 */
export const isAwayBy = (status: number, saysWhen: boolean): boolean =>
  status === 0 || status >= 502 || (status === 500 && saysWhen)

let away = false
const listeners = new Set<() => void>()

export function markAway(now: boolean): void {
  away = now
  for (const listener of listeners) listener()
}

/** For `useSyncExternalStore`. */
export const awayStore = {
  read: (): boolean => away,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
