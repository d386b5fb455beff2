/**
 * Deletes expired rows in small batches where no partition can be dropped, or not soon: those of
 * workspaces with shorter limits, those that a default partition took, those in partitions that are
 * longer than the limit's, messages where the operator limits them, and free headers of messages.
 * It works at night, between 01:00 and 05:00 by the process's time zone (`TZ`), with a pause after
 * each batch; and at any hour where a night was missed.
 */
import { databaseTimeMs } from '../../database/schema/schema-state.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { boundOf, isLongerThanPeriod } from '../../database/partitions/partition-periods.ts'
import {
  batchesCompleted,
  recordCompleted,
  recordDeleted,
} from '../../database/partitions/partition-upkeep.ts'
import { partitionedTables } from '../../database/schema/partitioned-tables.ts'
import type { Log } from '../../ground/log.ts'
import { plain } from '../../database/partitions/change-partitions.ts'
import {
  partitionsOf,
  type NamedTable,
  type Partition,
} from '../../database/partitions/partitions.ts'
import { installationRetention, shortenedWorkspaces } from './retention-limits.ts'
import { staysIf } from './unfinished.ts'

/** Hours of the process's time zone in which batches are deleted. */
const offPeak = { from: 1, to: 5 }

/** More would hold their locks for longer. */
const atOnce = 5_000

/**
 * A table whose rows were not all deleted for so long has missed a night: they are deleted at any
 * hour.
 */
const missedMs = 30 * 3_600_000

interface Work {
  /** Runs after each batch that was full. */
  pause: () => Promise<void>
  stopping: AbortSignal
}

/**
 * One batch of each part in turn, so that a large one does not keep the others waiting, and the
 * tables that wait longest first. A failure at one part leaves the others to be done; the next run
 * tries it again.
 */
export async function expireRows(
  { db, log }: { db: Connection; log: Pick<Log, 'error'> },
  { pause, stopping }: Work,
): Promise<void> {
  const completedMs = await batchesCompleted(db, Object.keys(partitionedTables))
  const isDue = (table: string, nowMs: number): boolean =>
    isOffPeak(nowMs) || nowMs - (completedMs.get(table) ?? nowMs) > missedMs
  const beganMs = await databaseTimeMs(db)
  const due = [...completedMs.keys()].filter((table) => isDue(table, beganMs))
  if (due.length === 0) return
  const open = (await expiredParts(db))
    .filter(({ table }) => due.includes(table.table))
    .toSorted((a, b) => due.indexOf(a.table.table) - due.indexOf(b.table.table))
  const unfinished = new Set<string>()
  for (let part = open.shift(); part !== undefined; part = open.shift()) {
    const { table } = part.table
    if (stopping.aborted) return
    if (!isDue(table, await databaseTimeMs(db))) unfinished.add(table)
    else if (await isFull(part)) {
      open.push(part)
      await pause()
    }
  }
  await recordCompleted(
    db,
    due.filter((table) => !unfinished.has(table)),
  )

  /** Deletes a batch of a part; whether there may be more. */
  async function isFull(part: ExpiredPart): Promise<boolean> {
    const { table } = part.table
    try {
      const deleted = await deleteBatch(db, part)
      if (deleted > 0 && !part.isHeaders) await recordDeleted(db, table, deleted)
      return deleted === atOnce
    } catch (error) {
      unfinished.add(table)
      log.error(
        { err: error, table: part.part, workspaceId: part.workspaceId },
        'Expired rows were not deleted',
      )
      return false
    }
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
  /** Null means all workspaces. */
  workspaceId: number | null
  before: Date
  /** The messages stay and lose their free headers. */
  isHeaders?: true
}

/** Free headers are a part of the message's line, and expire with its texts. */
const headers: NamedTable = {
  table: 'message',
  class: 'bodies',
  key: 'id',
  keyType: 'uuid',
  keeps: 'unfinished messages',
}

/**
 * What may have expired rows: each partition that begins before the limit, for each workspace with
 * a shorter one.
 */
async function expiredParts(db: Connection): Promise<ExpiredPart[]> {
  const limits = await installationRetention(db)
  const shortened = await shortenedWorkspaces(db)
  const ofHeaders = [
    { workspaceId: null, before: limits.bodies.before },
    ...shortened.filter((own) => own.class === 'bodies'),
  ]
  const parts: ExpiredPart[] = ofHeaders.flatMap(({ workspaceId, before }) =>
    before === null
      ? []
      : [{ table: headers, part: headers.table, workspaceId, before, isHeaders: true }],
  )
  const workspaces = await workspaceIds(db)
  for (const table of namedTables()) {
    const partitions = await partitionsOf(db, table.table)
    const { before, days } = limits[table.class]
    if (before && partitions)
      parts.push({ table, part: `${table.table}_default`, workspaceId: null, before })
    // Partitions of a longer limit would keep expired rows for longer than those of this one.
    const longer = (partitions ?? []).filter(
      (each) => before && isLongerThanPeriod(each, days) && holds(each, before),
    )
    const whole = partitions ? longer : [{ name: table.table, fromMs: null, toMs: null }]
    // The key of a table begins with the workspace, so that the expired rows of one are found by
    // it.
    if (before)
      for (const { name, ...range } of whole)
        for (const workspaceId of workspaces)
          parts.push({ table, part: name, range, workspaceId, before })
    for (const own of shortened.filter((limit) => limit.class === table.class)) {
      const beginBefore = (partitions ?? []).filter(
        ({ fromMs }) => fromMs === null || fromMs < own.before.getTime(),
      )
      const { workspaceId, before: ownBefore } = own
      if (!partitions) parts.push({ table, part: table.table, workspaceId, before: ownBefore })
      for (const { name, ...range } of beginBefore)
        parts.push({ table, part: name, range, workspaceId, before: ownBefore })
    }
  }
  return parts
}

/** Whether the moment lies within a partition by time. */
const holds = ({ fromMs, toMs }: Partition, at: Date): boolean =>
  fromMs !== null && toMs !== null && fromMs < at.getTime() && toMs > at.getTime()

const namedTables = () =>
  Object.entries(partitionedTables).map(([table, entry]) => ({ table, ...entry }))

const workspaceIds = (db: Database): Promise<number[]> =>
  db.column<number>(sql`select id from workspace order by id`)

/**
 * Answers how many rows were deleted, or lost their headers. The change goes through the table, not
 * to its partition by name: the triggers of a copy of the database are those of the table.
 */
async function deleteBatch(
  db: Connection,
  { table, part, range, workspaceId, before, isHeaders }: ExpiredPart,
): Promise<number> {
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
  ]
  const change = isHeaders
    ? `update ${table.table} set head = jsonb_set(head::jsonb, '{headers}', '[]')::json`
    : `delete from ${table.table}`
  return db.transaction(async (tx) => {
    const row = await tx.rows<{ partition: number; place: string }>(
      plain(
        `select tableoid::int8 as partition, ctid::text as place
         from ${part} t
         where ${conditions.join(' and ')}
         limit ${atOnce}
         for update skip locked`,
      ),
    )
    const [first] = row
    if (!first) return 0
    // Each row by its place: by an index of the bounds, the planner would look for each row of the
    // partition in the list.
    await tx.ask(
      sql`select set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    )
    const places = row.map(({ place: position }) => `"${position}"`).join()
    return tx.count(
      plain(
        `${change}
         where ${within.join(' and ')} and tableoid = ${first.partition}
           and ctid = any ('{${places}}'::tid[])`,
      ),
    )
  })
}
