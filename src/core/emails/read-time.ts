/** Times from outside: RFC 3339, and for scheduling not absurdly far. */
import { limits } from '../../contract/limits.ts'
import { shapeError } from '../dispatch/judge-shape.ts'

const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** A time as milliseconds since 1970; throws `validation_error` with rule `date-time`. */
export function readTime(text: string, path: string): number {
  const [, year, month, day, hour, minute, second] = pattern.exec(text) ?? []
  const ms = Date.parse(text.replace(' ', 'T').toUpperCase())
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const sane =
    Number(day) >= 1 && Number(day) <= daysInMonth && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
  if (Number.isNaN(ms) || !sane) throw shapeError([{ path, rule: 'date-time' }], 'date_time')
  return ms
}

/** When a message is to leave. Whether that has passed is another question: a call that is repeated may have been in time. */
export function readScheduledAt(text: string, now: Date, path: string): string {
  const ms = readTime(text, path)
  if (ms > now.getTime() + limits.scheduleDaysMax * 86_400_000)
    throw shapeError([{ path, rule: 'too_far', limit: limits.scheduleDaysMax }])
  return rfc3339(ms)
}

/** A minute of tolerance: the caller's clock is not ours. What lies in that minute goes at once. */
export const isPast = (scheduledAt: string | null, now: Date): boolean =>
  scheduledAt !== null && Date.parse(scheduledAt) < now.getTime() - 60_000

/** Milliseconds since 1970 in the one form we write times. */
export const rfc3339 = (ms: number | Date): string => new Date(ms).toISOString()
