/** The overview as the contract answers it, and how its numbers are written. */
import type { Overview } from '../../../../src/contract/workspace/overview.ts'

export type { Overview }
export type Period = Overview['period']
export type Figures = Period['totals']
type Day = Period['each'][number]
export type Counts = NonNullable<Day['counts']>

/** Nobody knows the others: they are still being counted, or their mails expired before. */
export const countedDays = ({ each }: Period): (Day & { counts: Counts })[] =>
  each.flatMap(({ counts, ...day }) => (counts === null ? [] : [{ ...day, counts }]))

/**
 * A mail has one of these outcomes, which the chart stacks in this order, from the good to the bad.
 */
export const outcomes = ['delivered', 'waiting', 'complained', 'bounced', 'failed'] as const

export const sayCount = (count: number, language: string): string => count.toLocaleString(language)

/** Two digits where the thresholds are: 0.1 % and 5 %. */
export const sayShare = (share: number, language: string): string =>
  new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: share > 0 && share < 0.01 ? 2 : 1,
  }).format(share)

/**
 * A share that does not read like its limit: 0.0985 % of at most 0.1 % has more digits than others.
 */
export function sayShareBelow(share: number, max: number, language: string): string {
  const say = (digits: number): string =>
    new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: digits }).format(
      share,
    )
  const most = sayShare(max, language)
  const digits = [2, 3, 4].find((each) => say(each) !== most)
  return sayShare(share, language) !== most || share === max
    ? sayShare(share, language)
    : say(digits ?? 4)
}

/**
 * Of the delivered mails of the days that know it: how many are only assumed to have arrived. Null
 * means no day does.
 */
export function assumedOf(period: Period): { assumed: number; delivered: number } | null {
  const known = countedDays(period).flatMap(({ counts: { assumed, delivered } }) =>
    assumed === null ? [] : [{ assumed, delivered }],
  )
  if (known.length === 0) return null
  return {
    assumed: known.reduce((sum, { assumed }) => sum + assumed, 0),
    delivered: known.reduce((sum, { delivered }) => sum + delivered, 0),
  }
}
