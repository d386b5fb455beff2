/**
 * Deletes expired rows in small batches where no partition can be dropped: those of workspaces with shorter limits, those
 * that a default partition took, messages where the operator limits them, and free headers of messages. It works at night, between 01:00 and 05:00 by the process's time zone (`TZ`), with a pause after each batch.
 */
import { databaseTimeMs } from '../connection/schema-state.ts'
import { sql, type Connection, type Database } from '../connection/connect.ts'
import { boundOf } from './partition-periods.ts'
import { recordDeleted } from './partition-upkeep.ts'
import { partitionedTables } from './partitioned-tables.ts'
import type { Log } from '../../log.ts'
import { plain } from './change-partitions.ts'
import { partitionsOf, type NamedTable } from './partitions.ts'
import { installationRetention, shortenedWorkspaces } from './retention-limits.ts'
import { staysIf } from './unfinished.ts'

/** Hours of the process's time zone in which batches are deleted. */
const offPeak = { from: 1, to: 5 }

/** More would hold their locks for longer. */
const atOnce = 5_000

/** `pause` runs after each batch that was full. A failure at one part leaves the others to be done; the next night tries it again. */
export async function expireRows(
  { db, log }: { db: Connection; log: Pick<Log, 'error'> },
  { pause, stopping }: { pause: () => Promise<void>; stopping: AbortSignal },
): Promise<void> {
  const isTime = async (): Promise<boolean> => !stopping.aborted && isOffPeak(await databaseTimeMs(db))
  if (!(await isTime())) return
  for (const expired of await expiredParts(db)) {
    if (!(await isTime())) return
    let deleted = 0
    try {
      let batch = atOnce
      while (batch === atOnce && (await isTime())) {
        batch = await deleteBatch(db, expired)
        deleted += batch
        if (batch === atOnce) await pause()
      }
    } catch (error) {
      log.error({ err: error, table: expired.part, workspaceId: expired.workspaceId }, 'Expired rows were not deleted')
    }
    if (deleted > 0 && !expired.isHeaders) await recordDeleted(db, expired.table.table, deleted)
  }
}

export const isOffPeak = (nowMs: number): boolean => {
  const hour = new Date(nowMs).getHours()
  return hour >= offPeak.from && hour < offPeak.to
}

interface ExpiredPart {
  table: NamedTable
  /** The partition, or the table where it has none. */
  part: string
  /** Of the partition, if it is known. */
  range?: { fromMs: number | null; toMs: number | null }
  /** Null: all workspaces. */
  workspaceId: number | null
  before: Date
  /** The messages stay and lose their free headers. */
  isHeaders?: true
}

/** Free headers are a part of the message's line, and expire with its texts. */
const headers: NamedTable = { table: 'message', class: 'bodies', key: 'id', keyType: 'uuid', keeps: 'unfinished messages' }

/** What may have expired rows: each partition that begins before the limit, for each workspace with a shorter one. */
async function expiredParts(db: Connection): Promise<ExpiredPart[]> {
  const limits = await installationRetention(db)
  const shortened = await shortenedWorkspaces(db)
  const ofHeaders = [{ workspaceId: null, before: limits.bodies.before }, ...shortened.filter((own) => own.class === 'bodies')]
  const parts: ExpiredPart[] = ofHeaders.flatMap(({ workspaceId, before }) =>
    before === null ? [] : [{ table: headers, part: headers.table, workspaceId, before, isHeaders: true }],
  )
  for (const table of namedTables()) {
    const partitions = await partitionsOf(db, table.table)
    const { before } = limits[table.class]
    if (before && partitions) parts.push({ table, part: `${table.table}_default`, workspaceId: null, before })
    if (before && !partitions)
      // The key of a table begins with the workspace, so that the expired rows of one are found by it.
      for (const workspaceId of await workspaceIds(db)) parts.push({ table, part: table.table, workspaceId, before })
    for (const own of shortened.filter((limit) => limit.class === table.class)) {
      const beginBefore = (partitions ?? []).filter(({ fromMs }) => fromMs === null || fromMs < own.before.getTime())
      const { workspaceId, before: ownBefore } = own
      if (!partitions) parts.push({ table, part: table.table, workspaceId, before: ownBefore })
      for (const { name, ...range } of beginBefore) parts.push({ table, part: name, range, workspaceId, before: ownBefore })
    }
  }
  return parts
}

const namedTables = (): NamedTable[] => Object.entries(partitionedTables).map(([table, entry]) => ({ table, ...entry }))

const workspaceIds = (db: Database): Promise<number[]> => db.column<number>(sql`select id from workspace order by id`)

/**
 * Answers how many rows were deleted, or lost their headers. The change goes through the table, not to its partition by name: the
 * triggers of a copy of the database are those of the table.
 */
function deleteBatch(db: Database, { table, part, range, workspaceId, before, isHeaders }: ExpiredPart): Promise<number> {
  const { key, keyType } = table
  const stays = staysIf(table, before)
  const bound = (atMs: number): string => `'${boundOf(atMs, keyType)}'`
  const conditions = [
    workspaceId === null ? 'workspace_id >= 0' : `workspace_id = ${workspaceId}`,
    `${key} < ${bound(before.getTime())}`,
    ...(isHeaders ? [`head #>> '{headers,0,0}' is not null`] : []),
    ...(stays === null ? [] : [`not ${stays}`]),
  ]
  // The bounds keep other partitions out, in which the same place is another row.
  const within = [
    `${key} < ${bound(Math.min(before.getTime(), range?.toMs ?? Infinity))}`,
    ...(range?.fromMs == null ? [] : [`${key} >= ${bound(range.fromMs)}`]),
    `tableoid = '${part}'::regclass`,
  ]
  const change = isHeaders
    ? `update ${table.table} set head = jsonb_set(head::jsonb, '{headers}', '[]')::json`
    : `delete from ${table.table}`
  return db.count(
    plain(`
      ${change} where ${within.join(' and ')} and ctid = any (array(
        select ctid from ${part} t where ${conditions.join(' and ')} limit ${atOnce} for update skip locked))`),
  )
}
