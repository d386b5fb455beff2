/**
 * Reads times in English words, as Resend documents them: `in 1 min`, `tomorrow at 9am`,
 * `Friday at 3pm ET`. UTC unless the words name a zone. Words with two meanings are not read.
 */

/** Hours of fixed zones east of UTC. Those with a name of the IANA change with the season. */
const zones: Record<string, number | string> = {
  ...{ utc: 0, gmt: 0, cet: 1, cest: 2, est: -5, edt: -4, cst: -6, cdt: -5 },
  ...{ mst: -7, mdt: -6, pst: -8, pdt: -7 },
  ...{ et: 'America/New_York', ct: 'America/Chicago' },
  ...{ mt: 'America/Denver', pt: 'America/Los_Angeles' },
}
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const minute = 60_000
const day = 1440 * minute
const units: Record<string, number> = { s: 1000, m: minute, h: 60 * minute, d: day, w: 7 * day }

const relative = /^in (\d{1,6}|an?) (secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?)$/
const absolute =
  /^(today|tomorrow|(?:on )?(?:sun|mon|tues|wednes|thurs|fri|satur)day) at (?:(noon|midnight)|(\d{1,2})(?::(\d{2}))? ?(am|pm)?)(?: ([a-z]{2,4}))?$/

/**
 * Returns the instant in milliseconds since 1970; null for words that are not understood. The past
 * and the far future are for the caller to refuse.
 */
export function naturalTimeMs(text: string, nowMs: number): number | null {
  // Lower case makes ASCII of some other letters.
  if (/[^ -~]/.test(text)) return null
  const words = text.toLowerCase()
  const [, count, unit] = relative.exec(words) ?? []
  if (count !== undefined && unit !== undefined)
    return nowMs + (Number(count) || Number(count.startsWith('a'))) * (units[unit.charAt(0)] ?? 0)
  const [, date = '', named, hour, minutes, half, zoneName = 'utc'] = absolute.exec(words) ?? []
  const timeOfDay = timeOfDayMs({ named, hour, minutes, half })
  const zone = Object.hasOwn(zones, zoneName) ? zones[zoneName] : undefined
  if (timeOfDay === null || zone === undefined) return null
  return nextAt({ date: date.replace('on ', ''), timeOfDay, zone }, nowMs)
}

interface WrittenTime {
  named: string | undefined
  hour: string | undefined
  minutes: string | undefined
  half: string | undefined
}

/** `9` alone may be morning or evening, so it is not read. */
function timeOfDayMs({ named, hour, minutes, half }: WrittenTime): number | null {
  if (named !== undefined) return named === 'noon' ? day / 2 : 0
  if (hour === undefined || (half === undefined && minutes === undefined)) return null
  const [hours, past] = [Number(hour), Number(minutes ?? 0)]
  const isHour = half === undefined ? hours <= 23 : hours >= 1 && hours <= 12
  if (!isHour || past > 59) return null
  const ofDay = half === undefined ? hours : (hours % 12) + (half === 'pm' ? 12 : 0)
  return (ofDay * 60 + past) * minute
}

/** A weekday is its next one, today included until that time has passed. */
function nextAt(
  { date, timeOfDay, zone }: { date: string; timeOfDay: number; zone: number | string },
  nowMs: number,
): number {
  const today = Math.floor((nowMs + offsetMs(zone, nowMs)) / day) * day
  const inDays = (days: number): number => {
    const wall = today + days * day + timeOfDay
    // The offset of that day, which may be on the other side of a change of the clocks.
    return wall - offsetMs(zone, wall - offsetMs(zone, wall))
  }
  if (date === 'today' || date === 'tomorrow') return inDays(date === 'today' ? 0 : 1)
  const days = (weekdays.indexOf(date) - new Date(today).getUTCDay() + 7) % 7
  const first = inDays(days)
  return first > nowMs ? first : inDays(days + 7)
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetMs(zone: number | string, atMs: number): number {
  if (typeof zone === 'number') return zone * 60 * minute
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(atMs)
    .find(({ type }) => type === 'timeZoneName')
  const [, sign = '+', hours = 0, minutes = 0] =
    /([+-])(\d\d):(\d\d)/.exec(parts?.value ?? '') ?? []
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * minute
}
