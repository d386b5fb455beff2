/**
 * Deletes expired rows in small batches where no partition can be dropped: those of workspaces with shorter limits, and those
 * that a default partition took. It works at night, between 01:00 and 05:00 UTC, with a pause after each batch.
 */
import { databaseTimeMs } from '../connection/schema-state.ts'
import { type Connection, type Database } from '../connection/connect.ts'
import { boundOf } from './partition-periods.ts'
import { recordDeleted } from './partition-upkeep.ts'
import { partitionedTables } from './partitioned-tables.ts'
import { partitionsOf, plain, type NamedTable } from './partitions.ts'
import { installationRetention, shortenedWorkspaces } from './retention-limits.ts'
import { staysIf } from './unfinished.ts'

/** Hours of UTC in which batches are deleted. */
const offPeak = { from: 1, to: 5 }

/** More would hold their locks for longer. */
const atOnce = 5_000

/** `pause` runs after each batch that was full. */
export async function expireRows(
  db: Connection,
  { pause, stopping }: { pause: () => Promise<void>; stopping: AbortSignal },
): Promise<void> {
  const isTime = async (): Promise<boolean> => !stopping.aborted && isOffPeak(await databaseTimeMs(db))
  for (const expired of await expiredParts(db)) {
    if (!(await isTime())) return
    let deleted = 0
    let batch = atOnce
    while (batch === atOnce && (await isTime())) {
      batch = await deleteBatch(db, expired)
      deleted += batch
      if (batch === atOnce) await pause()
    }
    if (deleted > 0) await recordDeleted(db, expired.table.table, deleted)
  }
}

export const isOffPeak = (nowMs: number): boolean => {
  const hour = new Date(nowMs).getUTCHours()
  return hour >= offPeak.from && hour < offPeak.to
}

interface ExpiredPart {
  table: NamedTable
  /** The partition, or the table where it has none. */
  part: string
  /** Null: all workspaces. */
  workspaceId: number | null
  before: Date
}

/** What may have expired rows: each partition that begins before the limit, for each workspace with a shorter one. */
async function expiredParts(db: Connection): Promise<ExpiredPart[]> {
  const parts: ExpiredPart[] = []
  const limits = await installationRetention(db)
  const shortened = await shortenedWorkspaces(db)
  for (const table of namedTables()) {
    const partitions = await partitionsOf(db, table.table)
    const before = limits[table.class].before
    if (before) parts.push({ table, part: partitions ? `${table.table}_default` : table.table, workspaceId: null, before })
    for (const own of shortened.filter((limit) => limit.class === table.class)) {
      const beginBefore = (partitions ?? []).filter(({ fromMs }) => fromMs === null || fromMs < own.before.getTime())
      const names = partitions ? beginBefore.map(({ name }) => name) : [table.table]
      parts.push(...names.map((part) => ({ table, part, workspaceId: own.workspaceId, before: own.before })))
    }
  }
  return parts
}

const namedTables = (): NamedTable[] => Object.entries(partitionedTables).map(([table, entry]) => ({ table, ...entry }))

/** Answers how many rows were deleted. */
function deleteBatch(db: Database, { table, part, workspaceId, before }: ExpiredPart): Promise<number> {
  const { key, keyType } = table
  const stays = staysIf(table, before)
  const conditions = [
    workspaceId === null ? 'workspace_id >= 0' : `workspace_id = ${workspaceId}`,
    `${key} < '${boundOf(before.getTime(), keyType)}'`,
    ...(stays === null ? [] : [`not ${stays}`]),
  ]
  return db.count(
    plain(`
      delete from ${part} where ctid = any (array(
        select ctid from ${part} t where ${conditions.join(' and ')} limit ${atOnce} for update skip locked))`),
  )
}
