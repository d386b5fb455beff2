/** Times from outside: RFC 3339, and for scheduling neither past nor absurdly far. */
import { limits } from '../../contract/limits.ts'
import { shapeError } from './validate-shape.ts'
import { instantMs } from './instant.ts'

/** A time as milliseconds since 1970; throws `validation_error` with rule `date-time`. */
export function readTime(text: string, path: string): number {
  const ms = instantMs(text)
  if (ms === null) throw shapeError([{ path, rule: 'date-time' }], 'date_time')
  return ms
}

/** `now` is the database's time: it is what the message will leave by. */
export function refuseTooFar(scheduledAt: string, now: number, path: string): void {
  if (Date.parse(scheduledAt) > now + limits.scheduleDaysMax * 86_400_000)
    throw shapeError([{ path, rule: 'too_far', limit: limits.scheduleDaysMax }])
}

/** A minute of tolerance: the caller's clock is not ours. What lies in that minute goes at once. */
export const isPast = (scheduledAt: string, now: number): boolean => Date.parse(scheduledAt) < now - 60_000

/** Milliseconds since 1970 in the one form we write times. */
export const rfc3339 = (ms: number | Date): string => new Date(ms).toISOString()
