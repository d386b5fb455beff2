/** Reads how far the server's clean-up of the hot tables is, from its statistics. */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'

/** Their rows change most often, so that dead ones slow them first. */
const hotTables = [
  ...[
    'message',
    'message_body',
    'recipient',
    'due',
    'idempotency_key',
    'quota_usage',
    'reputation_day',
  ],
  ...['campaign_recipient', 'campaign_run', 'campaign_tally', 'request_rate', 'provider_rate'],
  ...['event', 'webhook_delivery', 'engagement', 'request_log'],
]

export interface TableVacuum {
  table: string
  liveRows: number
  deadRows: number
  /**
   * Seconds since the last vacuum, by the server itself or by hand. Null means never. Of a
   * partitioned table, that of the latest.
   */
  vacuumedSecondsAgo: number | null
}

/** A partitioned table is the sum of its partitions. */
export function tableVacuum(db: Database): Promise<TableVacuum[]> {
  return db.rows<TableVacuum>(sql`
    select coalesce(p.relname, s.relname)::text as table, sum(s.n_live_tup)::float8 as live_rows,
      sum(s.n_dead_tup)::float8 as dead_rows,
      extract(epoch from facteur_now() - max(greatest(s.last_autovacuum, s.last_vacuum)))::float8
        as vacuumed_seconds_ago
    from pg_stat_user_tables s
    left join pg_inherits i on i.inhrelid = s.relid
    left join pg_class p on p.oid = i.inhparent
    where s.schemaname = current_schema() and coalesce(p.relname, s.relname) = any (${hotTables}::text[])
    group by 1`)
}
