/**
 * How many bytes each class of data takes on the disk, sampled once an hour, one row for each day
 * and class.
 */
import type { RetentionClassName } from '../../contract/retention.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { partitionedTables } from '../../database/schema/partitioned-tables.ts'

/**
 * `other`: everything without a limit of age: subscribers, suppressions, campaigns, evidence of
 * consent.
 */
export type DiskClass = RetentionClassName | 'other'

const tables = Object.keys(partitionedTables)
const classOfTable = Object.values(partitionedTables).map((table) => table.class)

export interface DiskSample {
  class: DiskClass
  bytes: number
}

/**
 * Tables with their indexes and long values; a partition counts for its table. Other schemas of the
 * database do not count.
 */
export function diskByClass(db: Database): Promise<DiskSample[]> {
  return db.rows<DiskSample>(sql`
    select coalesce(c.class, 'other') as class, sum(pg_total_relation_size(t.oid))::float8 as bytes
    from pg_class t
    join pg_class root on root.oid = case when t.relispartition then pg_partition_root(t.oid) else t.oid end
    left join unnest(${tables}::text[], ${classOfTable}::text[]) c (name, class) on c.name = root.relname
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace
    group by 1 order by 2 desc, 1`)
}

/**
 * Stores a sample unless one is less than an hour old, and deletes those of more than two years
 * ago.
 */
export async function sampleDisk(db: Database): Promise<void> {
  const isDue = await db.onlyValue<boolean>(sql`
    select not exists (
      select
      from disk_usage
      where day >= (facteur_now() at time zone 'utc')::date - 1
        and measured_at > facteur_now() - interval '1 hour')`)
  if (!isDue) return
  const samples = await diskByClass(db)
  await db.count(
    sql`delete from disk_usage where day < (facteur_now() at time zone 'utc')::date - 731`,
  )
  await db.count(sql`
    insert into disk_usage (day, class, bytes, measured_at)
    select (facteur_now() at time zone 'utc')::date, s.class, s.bytes, facteur_now()
    from unnest(${samples.map((sample) => sample.class)}::text[],
      ${samples.map(({ bytes }) => bytes)}::bigint[]) s (class, bytes)
    on conflict (day, class) do update set bytes = excluded.bytes, measured_at = excluded.measured_at`)
}

export interface DiskUsage {
  /** The last sample, largest first; empty before the first. */
  classes: DiskSample[]
  /**
   * Bytes a day over the last seven days, net of what was deleted: negative while the data shrinks.
   * Null means the samples span less than a day.
   */
  bytesPerDay: number | null
  /** When the last sample was taken, in seconds since 1970; null before the first. */
  measuredAtSeconds: number | null
}

export async function diskUsage(db: Database): Promise<DiskUsage> {
  const rows = await db.rows<{ seconds: number; classes: DiskSample[] }>(sql`
    select extract(epoch from max(measured_at))::float8 as seconds,
      jsonb_agg(jsonb_build_object('class', class, 'bytes', bytes) order by bytes desc, class) as classes
    from disk_usage where day >= (facteur_now() at time zone 'utc')::date - 7
    group by day order by day`)
  return {
    classes: rows.at(-1)?.classes ?? [],
    measuredAtSeconds: rows.at(-1)?.seconds ?? null,
    bytesPerDay: growthOf(
      rows.map(({ seconds, classes }) => ({ seconds, bytes: totalOf(classes) })),
    ),
  }
}

/** Of all databases together. One that was added today has no rate yet. */
export function sumOfUsage(usages: readonly DiskUsage[]): DiskUsage {
  const classes = [
    ...Map.groupBy(
      usages.flatMap((usage) => usage.classes),
      (sample) => sample.class,
    ),
  ].map(([name, samples]) => ({ class: name, bytes: totalOf(samples) }))
  const rates = usages.flatMap(({ bytesPerDay }) => bytesPerDay ?? [])
  const measured = usages.flatMap(({ measuredAtSeconds }) => measuredAtSeconds ?? [])
  return {
    // The sum is as old as its oldest part.
    measuredAtSeconds: measured.length === 0 ? null : Math.min(...measured),
    classes: classes.toSorted((a, b) => b.bytes - a.bytes),
    bytesPerDay: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0),
  }
}

export const totalOf = (classes: DiskSample[]): number =>
  classes.reduce((sum, { bytes }) => sum + bytes, 0)

const daySeconds = 86_400

/**
 * Bytes a day from the first sample to the last; null where they span less than a day. `seconds`:
 * since 1970, in order.
 */
export function growthOf(samples: { seconds: number; bytes: number }[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.seconds - first.seconds < daySeconds) return null
  return ((last.bytes - first.bytes) / (last.seconds - first.seconds)) * daySeconds
}

/**
 * Seconds until so many bytes are used at a rate. Null means at this rate never, or the rate is not
 * known.
 */
export const secondsUntilFull = (freeBytes: number, bytesPerDay: number | null): number | null =>
  bytesPerDay === null || bytesPerDay <= 0
    ? null
    : (Math.max(0, freeBytes) / bytesPerDay) * daySeconds
