/**
 * Makes the partitions of the next days and drops those whose rows have all expired (docs/decisions/0048). For each table:
 *
 * 1. Drop what an earlier run detached and did not drop.
 * 2. Make the missing partitions, with the rows that the default partition took meanwhile.
 * 3. Detach and drop the expired ones.
 *
 * One process at a time changes partitions. Each change is a transaction of its own, which waits for locks a second at most
 * and is tried again.
 */
import { databaseTimeMs } from '../connection/schema-state.ts'
import { passesLater, retrying, type Connection } from '../connection/connect.ts'
import type { Log } from '../../log.ts'
import { leadMs, boundOf, endOfPeriod, partitionName } from './partition-periods.ts'
import { partitionedTables } from './partitioned-tables.ts'
import {
  changePartitions,
  compactPartition,
  countInDefault,
  detachPartition,
  detachedPartitions,
  dropTable,
  lockPartition,
  makePartition,
  partitionsOf,
  type NamedTable,
  type Partition,
  type PeriodRange,
} from './partitions.ts'
import { recordUpkeep, recordUpkeepFailure, type UpkeepCounts } from './partition-upkeep.ts'
import { installationRetention, type RetentionLimit } from './retention-limits.ts'
import { hasUnfinishedCampaigns, staysIf } from './unfinished.ts'

/**
 * A default partition with more rows of a period keeps them until they expire: moving them would stop their writers. All
 * writers wait while rows of the present period move.
 */
const movedMax = { past: 200_000, current: 20_000 }

/** Rows come with identifiers of up to so long ago or ahead, by the clocks of other machines. */
const skewMs = 3_600_000

/** A failure at one table leaves the others to be maintained; the next round tries it again. */
export async function maintainPartitions(
  { db, log }: { db: Connection; log: Pick<Log, 'error'> },
  stopping?: AbortSignal,
): Promise<void> {
  const limits = await installationRetention(db)
  const nowMs = await databaseTimeMs(db)
  for (const [table, entry] of Object.entries(partitionedTables)) {
    if (stopping?.aborted) return
    try {
      await maintainTable(db, { table, ...entry }, { ...limits[entry.class], nowMs })
    } catch (error) {
      log.error({ err: error, table }, 'The partitions of a table were not maintained; the next round tries again')
      await recordUpkeepFailure(db, table, error instanceof Error ? error.message : String(error)).catch(() => undefined)
    }
  }
}

type Limit = RetentionLimit & { nowMs: number }
type MissingRange = PeriodRange & { isCurrent: boolean }

async function maintainTable(db: Connection, table: NamedTable, limit: Limit): Promise<void> {
  const counts: UpkeepCounts = { made: 0, moved: 0, dropped: 0 }
  for (const name of await detachedPartitions(db, table.table)) await change(db, (tx) => dropTable(tx, name))
  const partitions = await partitionsOf(db, table.table)
  if (partitions === null) return
  for (const range of await missingRanges(db, table, partitions, limit)) {
    const moved = await change(db, async (tx) => {
      // Another process may have made it since.
      const known = await partitionsOf(tx, table.table)
      return known?.some(({ name }) => name === partitionName(table.table, range)) ? null : makePartition(tx, table, range)
    })
    if (moved === null) continue
    counts.made++
    counts.moved += moved
  }
  for (const partition of partitions) counts.dropped += (await expire(db, table, partition, limit)) ? 1 : 0
  await recordUpkeep(db, table.table, counts)
}

/** Retried when it met a lock or another change. */
const change = <T>(db: Connection, work: Parameters<typeof changePartitions<T>>[1]): Promise<T | null> =>
  retrying(() => changePartitions(db, work), passesLater)

/**
 * The periods without a partition up to some days from now. Past ones, of a time when nothing made partitions, are among them
 * only if the default partition has rows of theirs.
 */
async function missingRanges(
  db: Connection,
  table: NamedTable,
  partitions: Partition[],
  { days, nowMs }: Limit,
): Promise<MissingRange[]> {
  const ends = partitions.flatMap(({ toMs }) => toMs ?? [])
  const ranges: MissingRange[] = []
  let fromMs = ends.length > 0 ? Math.max(...ends) : nowMs - (nowMs % 86_400_000)
  const isGapUsed = fromMs < nowMs && (await countInDefault(db, table, { fromMs, toMs: nowMs }, 1)) > 0
  while (fromMs < nowMs + leadMs) {
    const toMs = endOfPeriod(fromMs, days)
    const range = { fromMs, toMs, isCurrent: fromMs < nowMs + skewMs && toMs > nowMs - skewMs }
    fromMs = toMs
    if (toMs <= nowMs && !isGapUsed) continue
    const max = range.isCurrent ? movedMax.current : movedMax.past
    const used = range.fromMs <= nowMs ? await countInDefault(db, table, range, max + 1) : 0
    if (toMs <= nowMs && used === 0) continue
    if (used <= max) ranges.push(range)
  }
  return ranges
}

/** Drops a partition whose rows have all expired; one that has rows which stay is replaced by a small one. */
async function expire(db: Connection, table: NamedTable, { name, fromMs, toMs }: Partition, { before }: Limit): Promise<boolean> {
  if (before === null || toMs === null || toMs > before.getTime()) return false
  const gone = await change(db, async (tx) => {
    await lockPartition(tx, name)
    const range = { from: boundOf(fromMs ?? 0, table.keyType), to: boundOf(toMs, table.keyType), before }
    if (table.keeps === 'unfinished campaigns' && (await hasUnfinishedCampaigns(tx, range))) return null
    const stays = staysIf(table, before)
    if (table.keeps === 'unfinished messages' && stays !== null) {
      const compacted = await compactPartition(tx, table, { name, fromMs, toMs, stays })
      if (compacted !== 'nothing stays') return compacted
    }
    await detachPartition(tx, { table: table.table, name })
    return name
  })
  if (gone === null) return false
  await change(db, (tx) => dropTable(tx, gone))
  return true
}
