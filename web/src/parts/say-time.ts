/** Times and days in words. */

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** A time that lies ahead by less counts as now, because two clocks never agree exactly. */
const nowSeconds = 5

interface TimeWording {
  /** Absent means the time of the machine. */
  now?: Date
  language: string
  justNow: string
}

/** Up to a week by how long it is, past or ahead; others by their day. */
export function sayWhen(time: Date, { now = new Date(), language, justNow }: TimeWording): string {
  const seconds = (time.getTime() - now.getTime()) / 1_000
  if (Math.abs(seconds) >= 7 * 86_400)
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(time)
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (step) return relative.format(Math.trunc(seconds / step[1]), step[0])
  return seconds > nowSeconds ? relative.format(Math.round(seconds), 'second') : justNow
}

/** A day in full. French says "1er décembre", which browsers do not know. */
export function sayDay(day: Date, language: string, timeZone?: string): string {
  const text = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    ...(timeZone !== undefined && { timeZone }),
  }).format(day)
  return language.startsWith('fr') ? text.replace(/^1 /, '1er ') : text
}

/** A short time: milliseconds below a second, then seconds. */
export function sayElapsed(ms: number, language: string): string {
  const isShort = ms < 1_000
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    maximumFractionDigits: 1,
  }).format(isShort ? ms : ms / 1_000)
}
