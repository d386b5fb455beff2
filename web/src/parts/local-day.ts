/** Days and minutes as the reader's calendar has them, as times of the service. */

/** `2026-11-21` as the moment it begins here; null for what is no day. */
export const beginningOf = (day: string): string | null => momentOf(day, 0)

/** The moment after its end. */
export const dayAfter = (day: string): string | null => momentOf(day, 1)

function momentOf(day: string, later: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined) return null
  return isoOf(new Date(Number(year), Number(month) - 1, Number(date) + later))
}

/** The day that was so many days ago: `2026-11-21`. */
export function dayBefore(days: number): string {
  const now = new Date()
  return fieldOfMoment(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)).slice(
    0,
    10,
  )
}

/** The service reads this form of a date-and-time field; null while the field is empty. */
export const momentOfField = (text: string): string | null =>
  text === '' ? null : isoOf(new Date(text))

const isoOf = (time: Date): string | null =>
  Number.isNaN(time.getTime()) ? null : time.toISOString()

/** A moment as a field of date and time holds it: `2026-11-21T08:30`. */
export function fieldOfMoment(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
