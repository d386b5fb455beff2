/**
 * The periods for which a partition is to be made: those of the next days, and past ones of a time
 * when nothing made partitions and few rows came.
 */
import type { Connection } from '../client/connect.ts'
import { endOfPeriod, leadMs } from './partition-periods.ts'
import {
  countInDefault,
  isDefaultLarge,
  type NamedTable,
  type Partition,
  type PeriodRange,
} from './partitions.ts'

/**
 * Everybody waits while rows move, and while the default partition is read. One with more of them,
 * or a large one, keeps them: they expire in batches, and the partition of the present begins an
 * hour from now.
 */
const movedMax = 2_000

/** Rows come with identifiers of up to so long ago or ahead, by the clocks of other machines. */
const skewMs = 3_600_000

export type MissingRange = PeriodRange & { isCurrent: boolean }

/** `days`: the limit of the class, null without one. */
export async function missingRanges(
  db: Connection,
  { partitions, days, ...table }: NamedTable & { partitions: Partition[]; days: number | null },
  nowMs: number,
): Promise<MissingRange[]> {
  const ends = partitions.flatMap(({ toMs }) => toMs ?? [])
  const ranges: MissingRange[] = []
  let fromMs = ends.length > 0 ? Math.max(...ends) : nowMs - (nowMs % 86_400_000)
  const isGapUsed =
    fromMs < nowMs && (await countInDefault(db, table, { fromMs, toMs: nowMs }, 1)) > 0
  const isLarge = await isDefaultLarge(db, table.table)
  while (fromMs < nowMs + leadMs) {
    const range = { fromMs, toMs: endOfPeriod(fromMs, days) }
    fromMs = range.toMs
    const isPast = range.toMs <= nowMs
    if (isPast && !isGapUsed) continue
    const used = range.fromMs <= nowMs ? await countInDefault(db, table, range, movedMax + 1) : 0
    if (used > movedMax || (isLarge && range.fromMs < soonMs(nowMs))) range.fromMs = soonMs(nowMs)
    if (range.fromMs < range.toMs && !(isPast && used === 0))
      ranges.push({ ...range, isCurrent: isCurrent(range, nowMs) })
  }
  return ranges
}

const isCurrent = ({ fromMs, toMs }: PeriodRange, nowMs: number): boolean =>
  fromMs < nowMs + skewMs && toMs > nowMs - skewMs

/** A whole hour, of which no rows come yet. */
const soonMs = (nowMs: number): number => (Math.floor(nowMs / skewMs) + 2) * skewMs
