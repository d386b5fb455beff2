/** Gives the statements of a transaction a time of their own. */
import type { Database } from './database.ts'
import { sql } from './sql.ts'

/** PostgreSQL ends each statement that takes longer, with the SQLSTATE 57014. */
export async function limitTime(tx: Database, timeoutMs: number): Promise<void> {
  await tx.ask(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`)
}
