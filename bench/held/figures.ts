/** Reads what the hot statements cost and what the hot tables hold. */
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'

/** The hot statements, by a part of the text of each. */
const statementsOf: Record<string, string> = {
  'claim of single mail': '%with troubled as materialized%',
  'overdue leases and doubts': '%as overdue,%',
  'outcomes of single mail': '%join recipient r on%life_ends%reputation_day%',
  'next due of a workspace': '%min(next_at) from recipient%',
  'due workspaces': '%workspace_id from due%',
  'raise of due': '%update due set%',
  admission: '%insert into message_body%',
  'count of requests': '%asked as (%request_rate%',
  'claim of a campaign': '%with held as materialized%next_rows%',
  'strays of a campaign': '%found as materialized%campaign_recipient%',
  'dots of a campaign': '%update batch_sender%',
  'permits of a provider': '%update provider_rate%',
}

const tables = [
  ...[
    'recipient',
    'campaign_recipient',
    'campaign_run',
    'batch_sender',
    'quota_usage',
    'reputation_day',
    'request_rate',
  ],
  ...['provider_rate', 'due'],
]

export interface StatementFigures {
  what: string
  calls: number
  /** Blocks a call. */
  blocks: number
  meanMs: number
}

export async function hotStatements(db: Connection): Promise<StatementFigures[]> {
  const result = await Promise.all(
    Object.entries(statementsOf).map(async ([what, like]) => {
      const row = await db.onlyRow<{ calls: number; blocks: number; ms: number }>(sql`
        select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks,
          coalesce(sum(total_exec_time), 0)::float8 as ms
        from pg_stat_statements where query like ${like} and query not like '%pg_stat_statements%'`)
      const calls = Math.max(1, row.calls)
      return {
        what,
        calls: row.calls,
        blocks: Math.round(row.blocks / calls),
        meanMs: Math.round((row.ms / calls) * 100) / 100,
      }
    }),
  )
  return result.filter(({ calls }) => calls > 0)
}

export async function resetStatements(db: Connection): Promise<void> {
  await db.rows(sql`select pg_stat_statements_reset()::text`)
}

/** Size and share of updates in place (HOT) of each hot table. */
export function hotTables(db: Connection): Promise<string[]> {
  return db.column<string>(sql`
    select relname || ' ' || pg_size_pretty(pg_total_relation_size(relid)) || ', ' || (100 * n_tup_hot_upd / greatest(1, n_tup_upd)) || ' % HOT'
    from pg_stat_user_tables where relname = any (${tables}::text[]) order by pg_total_relation_size(relid) desc`)
}
