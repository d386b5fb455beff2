/**
 * The state of a copy in the database that it is made of, and the processes of the service that see
 * it.
 */
import type { CountedRows } from './row-digest.ts'
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import { withCopyClient } from './copy-client.ts'
import type { TableDigests } from './table-digests.ts'

export type CopyState = 'copying' | 'draining' | 'frozen' | 'moved'

/**
 * The state of a process in a copy: it works, has ended its work, keeps its statements back, or
 * cannot reach the target.
 */
export type ProcessState = 'unreachable' | 'working' | 'drained' | 'frozen' | 'moved'

export interface DatabaseCopy {
  copy: string
  state: CopyState
  /** Without user and password. */
  target: string
  sealedTarget: Buffer
  beganAt: Date
  /** Since the command that makes it has last shown that it goes on. */
  quietSeconds: number
  rows: number
  share: number
  movedAt: Date | null
}

/** Null if there is none, and none was left behind. */
export function databaseCopy(db: Database): Promise<DatabaseCopy | null> {
  return db.row<DatabaseCopy>(sql`
    select copy, state, target, sealed_target, began_at,
      extract(epoch from facteur_now() - beat_at)::float8 as quiet_seconds, rows, share, moved_at
    from database_copy`)
}

/** Where an installation has moved to. Null if it has not. Of a database of any version. */
export async function movedTo(db: Database): Promise<{ target: string; movedAt: Date } | null> {
  const isThere = await db.onlyValue<boolean>(
    sql`select to_regclass('database_copy') is not null as there`,
  )
  return isThere
    ? db.row(sql`
        select target, moved_at from database_copy where state = 'moved' and moved_at is not null`)
    : null
}

export async function recordCopy(
  db: Database,
  { copy, target, sealedTarget }: { copy: string; target: string; sealedTarget: Buffer },
): Promise<void> {
  await db.count(sql`
    insert into database_copy as c (copy, state, target, sealed_target, began_at, beat_at)
    values (${copy}, 'copying', ${target}, ${sealedTarget}, facteur_now(), facteur_now())
    on conflict (only_row) do update set copy = excluded.copy, state = 'copying', target = excluded.target,
      sealed_target = excluded.sealed_target, beat_at = excluded.beat_at, rows = 0, share = 0,
      began_at = case when c.copy = excluded.copy then c.began_at else excluded.began_at end
    where c.state <> 'moved'`)
}

export async function recordCopyProgress(
  db: Database,
  { rows, share }: { rows: number; share: number },
): Promise<void> {
  await db.count(
    sql`update database_copy set beat_at = facteur_now(), rows = ${Math.round(rows)}, share = ${share}`,
  )
}

/** Changes nothing once it has moved. */
export async function setCopyState(
  db: Database,
  state: Exclude<CopyState, 'moved'>,
): Promise<void> {
  await db.count(
    sql`update database_copy set state = ${state}, beat_at = facteur_now() where state <> 'moved'`,
  )
}

/** The commit of this decides which of the two databases is the installation. */
export async function recordMove(tx: Database, digests: TableDigests): Promise<void> {
  await tx.count(sql`
    update database_copy
    set state = 'moved', moved_at = facteur_now(), digests = ${JSON.stringify(Object.fromEntries(digests))}`)
}

/** Of the moment at which it moved. */
export async function digestsOfMove(db: Database): Promise<TableDigests> {
  return new Map(
    Object.entries(
      (await db.value<Record<string, CountedRows>>(sql`select digests from database_copy`)) ?? {},
    ),
  )
}

/** Forgets a copy that has not moved. */
export function deleteCopy(db: Database): Promise<boolean> {
  return db.changes(sql`delete from database_copy where state <> 'moved'`)
}

/** A process says what it does for the copy. */
export async function recordProcess(
  db: Database,
  processId: string,
  state: ProcessState,
): Promise<void> {
  await db.count(sql`
    insert into database_copy_process (process_id, seen_at, state)
    values (${processId}, facteur_now(), ${state})
    on conflict (process_id) do update set seen_at = excluded.seen_at, state = excluded.state`)
}

/** Processes that were there within these seconds. */
export function liveProcesses(
  db: Database,
  withinSeconds: number,
): Promise<{ processId: string; state: ProcessState }[]> {
  return db.rows(sql`
    select process_id, state from database_copy_process
    where seen_at > facteur_now() - make_interval(secs => ${withinSeconds}::float8)`)
}

/** How many processes of the service run on a database: each listens for hints. */
export function runningProcesses(connectionString: string): Promise<number> {
  return withCopyClient(connectionString, async (client) => {
    const { rows } = await client.query<{ count: number }>(`
      select count(*)::int
      from pg_stat_activity
      where datname = current_database() and application_name = 'facteur hints'`)
    return rows[0]?.count ?? 0
  })
}

export async function forgetProcesses(db: Database): Promise<void> {
  await db.count(sql`delete from database_copy_process`)
}

/**
 * Numbers that nothing else in this database locks: that of a copy, and that of the upkeep of
 * partitions (`partitions.ts`).
 */
const copyLocks = [7_305_204, 7_305_203]

/**
 * Takes them for as long as the connection lives: one copy at a time, and no partition comes or
 * goes meanwhile.
 */
export async function takeCopyLocks(db: Database): Promise<'taken' | 'copying' | 'upkeep'> {
  const [copy, upkeep] = await db.column<boolean>(sql`
    select pg_try_advisory_lock(number) as taken
    from unnest(${copyLocks}::bigint[]) with ordinality l (number, position)
    order by position`)
  if (!copy) return 'copying'
  return upkeep ? 'taken' : 'upkeep'
}

/** Whether a command copies this database now. */
export function isCopyRunning(db: Database): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory'
        and l.objid = ${copyLocks[0]}::bigint::oid and l.objsubid = 1 and l.granted
    ) as running`)
}
