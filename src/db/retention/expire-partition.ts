/**
 * Takes a partition away whose rows have expired. Where rows of unfinished messages or campaigns
 * stay, one that has only these takes its place:
 *
 * 1. Find whose rows stay, in pages, without a lock.
 * 2. Copy their rows, while those who write to this partition wait.
 * 3. Put the copy in the partition's place, while everybody waits for milliseconds.
 */
import type { Connection } from '../connection/connect.ts'
import type { Database } from '../connection/database.ts'
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
import { unfinishedCampaigns, unfinishedMessages, type IdRange } from './unfinished.ts'

/** With rows of more messages, a partition stays as it is. */
const stayingMax = 200_000

/** Answers whether it is gone or replaced. It stays where more than half of its rows do. */
export async function expirePartition(
  db: Connection,
  table: NamedTable,
  partition: RangePartition,
  { before, stopping }: { before: Date; stopping?: AbortSignal | undefined },
): Promise<boolean> {
  const { fromMs, toMs, name } = partition
  const range = {
    from: boundOf(fromMs ?? 0, table.keyType),
    to: boundOf(toMs, table.keyType),
    before,
  }
  const staying = await findStaying(db, table, { ...range, stopping })
  if (staying === null) return false
  const rows = await countRowsOf(db, { name, key: table.key }, staying)
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
        await copyPartition(tx, table, partition, staying)
      }
      await lockWhole(tx, table.table)
      if (await isInUseAgain(tx, table, { range, staying, partition, rows }))
        throw new Postponed('A campaign of this time goes on')
      if (rows > 0) return replacePartition(tx, table, partition)
      await detachPartition(tx, { table: table.table, name })
      return name
    },
  )
  if (gone === null) return false
  await changePartitions(db, [gone], (tx) => dropTable(tx, gone))
  return true
}

/** Null: too many, or stopped. */
async function findStaying(
  db: Connection,
  { keeps }: NamedTable,
  { stopping, ...range }: IdRange & { stopping: AbortSignal | undefined },
): Promise<RowKeys | null> {
  if (keeps === 'unfinished messages')
    return unfinishedMessages(db, range, { max: stayingMax, stopping })
  return keeps === 'unfinished campaigns'
    ? unfinishedCampaigns(db, range)
    : { workspaceIds: [], ids: [] }
}

interface Found {
  range: IdRange
  staying: RowKeys
  partition: RangePartition
  /** How many rows stay. */
  rows: number
}

/**
 * An old draft may be sent, or an old campaign again: its recipients come to this partition. A
 * message is finished for ever.
 */
async function isInUseAgain(
  tx: Database,
  { keeps, key }: NamedTable,
  { range, staying, partition, rows }: Found,
): Promise<boolean> {
  if (keeps !== 'unfinished campaigns') return false
  const { ids } = await unfinishedCampaigns(tx, range)
  if (ids.some((id) => !staying.ids.includes(id))) return true
  return rows === 0 && (await countRowsOf(tx, { name: partition.name, key }, staying)) > 0
}
