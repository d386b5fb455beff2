/** Times and days in words. */
import { sayDate } from '../say-date.ts'

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
  if (Math.abs(seconds) >= 7 * 86_400) return sayDate(time, language, { dateStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (step) return relative.format(Math.trunc(seconds / step[1]), step[0])
  return seconds > nowSeconds ? relative.format(Math.round(seconds), 'second') : justNow
}

/** A day in full. */
export const sayDay = (day: Date, language: string, timeZone?: string): string =>
  sayDate(day, language, { dateStyle: 'long', ...(timeZone !== undefined && { timeZone }) })

/** Each unit up to where the next one says it better. */
const lengths = [
  { unit: 'millisecond', ms: 1, below: 1_000 },
  { unit: 'second', ms: 1_000, below: 120_000 },
  { unit: 'minute', ms: 60_000, below: 7_200_000 },
  { unit: 'hour', ms: 3_600_000, below: 172_800_000 },
  { unit: 'day', ms: 86_400_000, below: Infinity },
] as const

/** How long something took, in its unit: `41 ms`, `1.3 sec`, `4 min`. */
export function sayElapsed(ms: number, language: string): string {
  const { unit, ms: length } = lengths.find(({ below }) => ms < below) ?? lengths[1]
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: 1,
  }).format(ms / length)
}
