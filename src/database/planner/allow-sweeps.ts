/** Gives the statements of a transaction the time and the plans to read whole lists. */
import type { Database } from '../client/database.ts'
import { sql, type Statement } from '../client/sql.ts'

/**
 * Allows the next statements of this transaction more time, and plans that read whole lists: for
 * the few that change a whole list at once. They join by hashes. Right after an import, PostgreSQL
 * has no statistics and expects one row in the list, so it would read the list again for each row
 * of the other.
 */
export async function allowSweeps(
  tx: Database,
  timeoutMs: number,
): Promise<(statement: Statement) => Statement> {
  await tx.rows(sql`
    select set_config('statement_timeout', ${String(timeoutMs)}, true),
      set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
      set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true)`)
  return (statement) => ({ ...statement, query_timeout: timeoutMs + 5_000 })
}
