/** The days that a list is of, as moments: the last ones of the reader's calendar, or a range. */
import { beginningOf, dayBefore } from '../local-day.ts'
import { useFilter } from '../use-filter.ts'
import { useMoments } from '../use-range.ts'

/** So many days up to today, which is the first of them. */
export const periods = [1, 7, 30, 90] as const

/** From `since` on, up to before `until`; each absent where the list has no such bound. */
export function usePeriod(): { since?: string; until?: string } {
  const [chosen] = useFilter('days')
  const { from, to } = useMoments()
  const days = periods.find((period) => String(period) === chosen)
  const since = days === undefined ? (from ?? null) : beginningOf(dayBefore(days - 1))
  return {
    ...(since !== null && { since }),
    ...(days === undefined && to !== undefined && { until: to }),
  }
}
