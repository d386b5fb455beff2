/** Parses times that JavaScript and PostgreSQL read alike, in the years 1 to 9999 of UTC. */

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/
const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns milliseconds since 1970 for an RFC 3339 time; null for any other text, and for days and
 * years that do not exist.
 */
export function instantMs(text: string): number | null {
  const [, year, month, day, hour, minute, second] = pattern.exec(text) ?? []
  const ms = Date.parse(text.replace(' ', 'T').toUpperCase())
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const sane =
    Number(day) >= 1 &&
    Number(day) <= daysInMonth &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59
  return sane && ms >= first && ms <= last ? ms : null
}
