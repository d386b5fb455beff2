/**
 * Takes a partition away whose rows have expired. Where some of its rows stay, one that has only
 * these takes its place:
 *
 * 1. Find whose rows stay, in pages, without a lock.
 * 2. Copy their rows, while those who write to this partition wait.
 * 3. Put the copy in the partition's place, while everybody waits for milliseconds.
 */
import type { Connection } from '../client/connect.ts'
import type { Database } from '../client/database.ts'
import { changePartitions, Postponed } from './change-partitions.ts'
import { boundOf } from './partition-periods.ts'
import {
  copyPartition,
  countRowsOf,
  detachPartition,
  dropTable,
  hasRows,
  lockPartition,
  lockWhole,
  partitionsOf,
  replacePartition,
  type NamedTable,
  type RangePartition,
  type RowKeys,
} from './partitions.ts'

/** Identifiers of a time, as bounds; `to` is not included. */
export interface IdRange {
  from: string
  to: string
  /** Rows from before this moment have expired. */
  before: Date
}

/** Which rows of an expired time stay. */
export interface Staying {
  /** Null means too many, or stopped. */
  find(
    db: Database,
    table: NamedTable,
    range: IdRange & { stopping: AbortSignal | undefined },
  ): Promise<RowKeys | null>
  /** Those that stay now, where rows may come into use again. Null if they cannot. */
  findAgain(tx: Database, table: NamedTable, range: IdRange): Promise<RowKeys | null>
}

/** Answers whether it is gone or replaced. It stays where more than half of its rows do. */
export async function expirePartition(
  db: Connection,
  table: NamedTable,
  partition: RangePartition,
  {
    before,
    staying,
    stopping,
  }: { before: Date; staying: Staying; stopping?: AbortSignal | undefined },
): Promise<boolean> {
  const { fromMs, toMs, name } = partition
  const range = {
    from: boundOf(fromMs ?? 0, table.keyType),
    to: boundOf(toMs, table.keyType),
    before,
  }
  const stored = await staying.find(db, table, { ...range, stopping })
  if (stored === null) return false
  const rows = await countRowsOf(db, { name, key: table.key }, stored)
  if (rows > 0 && !(await hasRows(db, name, 2 * rows))) return false
  const gone = await changePartitions(
    db,
    [table.table, `${table.table}_default`, name],
    async (tx) => {
      const known = await partitionsOf(tx, table.table)
      // Another process has taken it away since.
      if (!known?.some((each) => each.name === name)) return null
      if (rows > 0) {
        await lockPartition(tx, name)
        await copyPartition(tx, table, partition, stored)
      }
      await lockWhole(tx, table.table)
      const again = await staying.findAgain(tx, table, range)
      if (again !== null && (await isInUse(tx, table, { again, remaining: stored, name, rows })))
        throw new Postponed('Rows of this time are in use again')
      if (rows > 0) return replacePartition(tx, table, partition)
      await detachPartition(tx, { table: table.table, name })
      return name
    },
  )
  if (gone === null) return false
  await changePartitions(db, [gone], (tx) => dropTable(tx, gone))
  return true
}

interface ExpiredPartition {
  again: RowKeys
  remaining: RowKeys
  name: string
  /** How many rows stay. */
  rows: number
}

/** Whether more stays than was found before, or rows have come to this partition since. */
async function isInUse(
  tx: Database,
  { key }: NamedTable,
  { again, remaining: stored, name, rows }: ExpiredPartition,
): Promise<boolean> {
  if (again.ids.some((id) => !stored.ids.includes(id))) return true
  return rows === 0 && (await countRowsOf(tx, { name, key }, stored)) > 0
}
