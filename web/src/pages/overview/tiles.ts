/** What each tile of the overview shows: a figure of the period, its base, and that of before. */
import { countedDays, type Counts, type Figures, type Period } from './overview.ts'

/** A part of a whole, such as the clicked of the delivered; null: not known. */
interface Share {
  part: number | null
  whole: number
}

/** Complained mails arrived too. */
const arrived = ({ delivered, complained }: Counts | Figures): number => delivered + complained

const opened = ({ opened: all, opened_by_relay: relayed }: Counts | Figures): number | null =>
  all === null || relayed === null ? null : all - relayed

/**
 * The rates, each with its base. Mails without tracking are not in it; a version that did not count
 * the others leaves all that arrived.
 */
export const shares = {
  delivered: (counts: Counts | Figures): Share => ({
    part: arrived(counts),
    whole: counts.sent ?? 0,
  }),
  opened: (counts: Counts | Figures): Share => ({
    part: opened(counts),
    whole: counts.opens_tracked ?? arrived(counts),
  }),
  clicked: (counts: Counts | Figures): Share => ({
    part: counts.clicked,
    whole: counts.clicks_tracked ?? arrived(counts),
  }),
}
export type ShareName = keyof typeof shares

/** From 0 to 1; null without a base. */
export const rateOf = ({ part, whole }: Share): number | null =>
  part === null || whole === 0 ? null : Math.min(1, part / whole)

/** A line of the known days; one without mail shows as none. */
export const dailyRates = (period: Period, name: ShareName): number[] =>
  countedDays(period).map(({ counts }) => rateOf(shares[name](counts)) ?? 0)

export const dailySent = (period: Period): number[] =>
  countedDays(period).map(({ counts }) => counts.sent ?? 0)
