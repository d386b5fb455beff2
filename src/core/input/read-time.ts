/** Parses times from outside: RFC 3339; for scheduling also in words, neither past nor too far ahead. */
import { limits } from '../../contract/limits.ts'
import { shapeError } from './shape-error.ts'
import { instantMs } from './instant.ts'
import { naturalTimeMs } from './natural-time.ts'

/** A time as milliseconds since 1970; throws `validation_error` with rule `date-time`. */
export function readTime(text: string, path: string): number {
  const ms = instantMs(text)
  if (ms === null) throw shapeError([{ path, rule: 'date-time' }], 'date_time')
  return ms
}

/** `at` is an RFC 3339 time in UTC; `words` wait for the database's time. */
type Schedule = { at: string } | { words: string }

/**
 * When to send. Throws `validation_error` with examples for what is neither.
 */
export function readScheduleText(text: string, path: string): Schedule {
  const ms = instantMs(text)
  if (ms !== null) return { at: rfc3339(ms) }
  if (naturalTimeMs(text, 0) !== null) return { words: text }
  throw shapeError([{ path, rule: 'date-time' }], 'schedule_time')
}

/** The instant of a schedule, as RFC 3339 in UTC; `now` is the database's time. */
export const scheduleAt = (schedule: Schedule, now: number): string =>
  'at' in schedule ? schedule.at : rfc3339(naturalTimeMs(schedule.words, now) ?? now)

/** `now` is the database's time, which decides when the message leaves. */
export function refuseTooFar(scheduledAt: string, now: number, path: string): void {
  if (Date.parse(scheduledAt) > now + limits.scheduleDaysMax * 86_400_000)
    throw shapeError([{ path, rule: 'too_far', limit: limits.scheduleDaysMax }])
}

/**
 * Tolerates one minute, since the caller's clock may differ. A time within that minute means now.
 */
export const isPast = (scheduledAt: string, now: number): boolean =>
  Date.parse(scheduledAt) < now - 60_000

/** Milliseconds since 1970 in the one form in which we write times. */
export const rfc3339 = (ms: number | Date): string => new Date(ms).toISOString()
