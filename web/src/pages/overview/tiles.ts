/** What each tile of the overview shows: a figure of the period, its base, and that of before. */
import type { Figures, Period } from './overview.ts'

/** A part of a whole, such as the clicked of the delivered; null: not known. */
interface Share {
  part: number | null
  whole: number
}

type Counts = NonNullable<Period['each'][number]['counts']>

/** Complained mails arrived too. */
const arrived = ({ delivered, complained }: Counts | Figures): number => delivered + complained

const opened = ({ opened: all, opened_by_relay: relayed }: Counts | Figures): number | null =>
  all === null || relayed === null ? null : all - relayed

/** The rates, each with its base. */
export const shares = {
  delivered: (counts: Counts | Figures): Share => ({
    part: arrived(counts),
    whole: counts.sent ?? 0,
  }),
  opened: (counts: Counts | Figures): Share => ({ part: opened(counts), whole: arrived(counts) }),
  clicked: (counts: Counts | Figures): Share => ({ part: counts.clicked, whole: arrived(counts) }),
}
export type ShareName = keyof typeof shares

/** From 0 to 1; null without a base. */
export const rateOf = ({ part, whole }: Share): number | null =>
  part === null || whole === 0 ? null : Math.min(1, part / whole)

/** A line of each day; a day without a value shows as none. */
export const dailyRates = ({ each }: Period, name: ShareName): number[] =>
  each.map(({ counts }) => (counts === null ? 0 : (rateOf(shares[name](counts)) ?? 0)))

export const dailySent = ({ each }: Period): number[] => each.map(({ counts }) => counts?.sent ?? 0)
