/**
 * Makes the partitions of the next days and drops those whose rows have all expired
 * (docs/decisions/0048). For each table:
 *
 * 1. Drop what an earlier run detached and did not drop.
 * 2. Make the missing partitions, with the rows that the default partition took meanwhile.
 * 3. Take the expired ones away.
 *
 * One process at a time changes partitions. Each change is a transaction of its own. Where it fails
 * or a table is in use, the others are made nevertheless, and the next round tries it again.
 */
import { databaseTimeMs } from '../schema/schema-state.ts'
import type { Connection } from '../client/connect.ts'
import type { Log } from '../../ground/log.ts'
import { changePartitions, Postponed } from './change-partitions.ts'
import { expirePartition, type Staying } from './expire-partition.ts'
import { missingRanges, type MissingRange } from './missing-ranges.ts'
import { partitionName } from './partition-periods.ts'
import type { PartitionedTable } from '../schema/partitioned-tables.ts'
import {
  addProof,
  detachedPartitions,
  dropProof,
  dropTable,
  hasProof,
  isDefaultLarge,
  makePartition,
  partitionsOf,
  validateProof,
  type NamedTable,
  type Partition,
} from './partitions.ts'
import { recordUpkeep, type Upkeep } from './partition-upkeep.ts'

interface Round {
  db: Connection
  nowMs: number
  staying: Staying
  stopping: AbortSignal | undefined
  /** Runs a step, whose failure is recorded and is no failure of the round; whether it was done. */
  attempt: (step: () => Promise<void>) => Promise<boolean>
}

/**
 * A table, for how many days it stores rows, and the moment before which they have expired. Null
 * means for ever, and none has.
 */
export type ExpiringTable = PartitionedTable & {
  table: string
  days: number | null
  before: Date | null
}

export async function maintainTables(
  { db, log }: { db: Connection; log: Pick<Log, 'error'> },
  {
    tables,
    staying,
    stopping,
  }: { tables: ExpiringTable[]; staying: Staying; stopping: AbortSignal | undefined },
): Promise<void> {
  const nowMs = await databaseTimeMs(db)
  for (const entry of tables) {
    const { table } = entry
    const upkeep: Upkeep = { made: 0, moved: 0, dropped: 0, error: null }
    const attempt: Round['attempt'] = async (step) => {
      if (stopping?.aborted) return false
      try {
        await step()
        return true
      } catch (error) {
        upkeep.error ??= error instanceof Error ? error.message : String(error)
        // A table in use is no failure: operators see that it waits.
        if (!(error instanceof Postponed))
          log.error(
            { err: error, table },
            'The partitions of a table were not maintained; the next round tries again',
          )
        return false
      }
    }
    await attempt(async () => {
      const partitions = await partitionsOf(db, table)
      if (partitions === null) return
      const round = { db, nowMs, staying, stopping, attempt }
      await maintainTable(round, { ...entry, partitions }, upkeep)
      await recordUpkeep(db, table, upkeep)
    })
  }
}

type MaintainedTable = ExpiringTable & { partitions: Partition[] }

async function maintainTable(
  { db, nowMs, staying, stopping, attempt }: Round,
  table: MaintainedTable,
  upkeep: Upkeep,
): Promise<void> {
  for (const name of await detachedPartitions(db, table.table))
    await attempt(
      async () => void (await changePartitions(db, [name], (tx) => dropTable(tx, name))),
    )
  if (await hasProof(db, table.table)) await attempt(() => withdrawProof(db, table.table))
  for (const range of await missingRanges(db, table, nowMs)) {
    const isMade = await attempt(async () => {
      const moved = await make(db, table, range, nowMs)
      if (moved === null) return
      upkeep.made++
      upkeep.moved += moved
    })
    // The next round begins behind the newest partition: one that is put off must not be left out.
    if (!isMade) break
  }
  const { before, partitions } = table
  for (const { toMs, ...partition } of partitions)
    await attempt(async () => {
      if (before === null || toMs === null || toMs > before.getTime()) return
      if (await expirePartition(db, table, { ...partition, toMs }, { before, staying, stopping }))
        upkeep.dropped++
    })
}

/** Answers how many rows moved. Null means another process made it, or makes partitions now. */
async function make(
  db: Connection,
  table: NamedTable,
  range: MissingRange,
  nowMs: number,
): Promise<number | null> {
  const fallback = `${table.table}_default`
  const isProven =
    range.fromMs > nowMs && !range.isCurrent && (await isDefaultLarge(db, table.table))
  try {
    if (isProven) {
      await changePartitions(db, [fallback], (tx) => addProof(tx, table, range))
      await changePartitions(db, [], (tx) => validateProof(tx, table.table))
    }
    return await changePartitions(
      db,
      range.isCurrent ? [table.table, fallback] : [fallback],
      async (tx) => {
        const known = await partitionsOf(tx, table.table)
        return known?.some(({ name }) => name === partitionName(table.table, range))
          ? null
          : makePartition(tx, table, range)
      },
    )
  } finally {
    if (isProven) await withdrawProof(db, table.table)
  }
}

const withdrawProof = async (db: Connection, table: string): Promise<void> =>
  void (await changePartitions(db, [], (tx) => dropProof(tx, table)))
