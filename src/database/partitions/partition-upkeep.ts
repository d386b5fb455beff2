/**
 * Stores the results of the upkeep of partitions, for operators: counts since the installation
 * began, and the last success of each table.
 */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import { plain } from './change-partitions.ts'
import { partitionedTables } from '../schema/partitioned-tables.ts'

/** The result of a round at a table. */
export interface Upkeep {
  made: number
  /** Rows that moved out of a default partition. */
  moved: number
  dropped: number
  /** Why a part of it was left to the next round. Null if it is complete. */
  error: string | null
}

export async function recordUpkeep(
  db: Database,
  table: string,
  { made: created, moved, dropped, error }: Upkeep,
): Promise<void> {
  const inDefault = await db.onlyValue<number>(
    plain(`select count(*)::int as count from (select from ${table}_default limit 1000000) rows`),
  )
  await db.count(sql`
    insert into partition_upkeep as u
      (table_name, made, moved, dropped, default_rows, error, succeeded_at, failed_at)
    values (${table}, ${created}, ${moved}, ${dropped}, ${inDefault}, ${error},
      case when ${error}::text is null then facteur_now() end,
      case when ${error}::text is not null then facteur_now() end)
    on conflict (table_name) do update set made = u.made + excluded.made, moved = u.moved + excluded.moved,
      dropped = u.dropped + excluded.dropped, default_rows = excluded.default_rows, error = excluded.error,
      succeeded_at = coalesce(excluded.succeeded_at, u.succeeded_at),
      failed_at = coalesce(excluded.failed_at, u.failed_at)`)
}

export async function recordDeleted(db: Database, table: string, deleted: number): Promise<void> {
  await db.count(sql`
    insert into partition_upkeep as u (table_name, deleted) values (${table}, ${deleted})
    on conflict (table_name) do update set deleted = u.deleted + excluded.deleted`)
}

/**
 * When the batches of each table were last complete, or first looked for, in milliseconds since
 * 1970; the longest ago first.
 */
export async function batchesCompleted(
  db: Database,
  tables: string[],
): Promise<Map<string, number>> {
  await db.count(sql`
    with unknown as materialized (
      select t, facteur_now() as at from unnest(${tables}::text[]) t
      where not exists (
        select from partition_upkeep
        where table_name = t and batches_completed_at is not null)
    )
    insert into partition_upkeep as u (table_name, batches_completed_at) select t, at from unknown
    on conflict (table_name) do update set batches_completed_at = excluded.batches_completed_at
    where u.batches_completed_at is null`)
  const rows = await db.rows<{ table: string; at: Date }>(sql`
    select u.table_name as "table", u.batches_completed_at as at
    from unnest(${tables}::text[]) with ordinality t (name, place)
    join partition_upkeep u on u.table_name = t.name
    where u.batches_completed_at is not null
    order by u.batches_completed_at, t.place`)
  return new Map(rows.map(({ table, at }) => [table, at.getTime()]))
}

export async function recordCompleted(db: Database, tables: string[]): Promise<void> {
  await db.count(
    sql`update partition_upkeep set batches_completed_at = facteur_now() where table_name = any (${tables})`,
  )
}

export interface TableUpkeep {
  table: string
  /** Partitions now, without the default one. */
  partitions: number
  made: number
  dropped: number
  moved: number
  /** Rows deleted in batches. */
  deleted: number
  /**
   * Seconds since the expired rows that go in batches were last all deleted. Null if nobody has
   * looked yet.
   */
  batchesSecondsAgo: number | null
  /**
   * Rows in the default partition when it was counted last: above zero, partitions were missing.
   */
  defaultRows: number
  succeededAt: Date | null
  /** Seconds since then. */
  secondsAgo: number | null
  failedAt: Date | null
  /** Of the last failure, until a later run succeeds. */
  error: string | null
}

export function partitionUpkeep(db: Database): Promise<TableUpkeep[]> {
  // The catalog of partitions and the table may be on two servers.
  return db.rows<TableUpkeep>(sql`
    with upkeep as materialized (select * from partition_upkeep)
    select table_name as "table", made, dropped, moved, deleted, default_rows, succeeded_at,
      extract(epoch from facteur_now() - succeeded_at)::float8 as seconds_ago,
      extract(epoch from facteur_now() - batches_completed_at)::float8 as batches_seconds_ago,
      failed_at, error,
      (select greatest(0, count(*) - 1)::int
        from pg_inherits
        where inhparent = to_regclass(table_name)) as partitions
    from upkeep order by table_name`)
}

/** Tables that a migration could not partition: their rows expire in batches. */
export function unpartitionedTables(db: Database): Promise<string[]> {
  const names = Object.entries(partitionedTables).flatMap(([name, { isWhole }]) =>
    isWhole ? [] : [name],
  )
  return db.column<string>(sql`
    select relname
    from pg_class
    where relname = any (${names}) and relkind = 'r' and relnamespace = current_schema()::regnamespace
    order by relname`)
}
