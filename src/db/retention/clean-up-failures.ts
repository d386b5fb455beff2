/**
 * What the clean-up of a database fails at, for operators: each table whose rows were left, until a
 * round does it.
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface CleanUpFailure {
  tableName: string
  /** The slug of the first workspace that it failed for. Null if it was for none of them. */
  workspace: string | null
  /** How many more workspaces it failed for. */
  others: number
  error: string
}

/** Stores what a whole round failed at, in place of what the round before did. */
export async function recordCleanUpFailures(
  db: Database,
  failures: CleanUpFailure[],
): Promise<void> {
  await db.count(
    sql`
      delete from clean_up_failure
      where table_name <> all (${failures.map(({ tableName }) => tableName)}::text[])`,
  )
  if (failures.length > 0)
    await db.count(sql`
      insert into clean_up_failure (table_name, workspace, others, error, since)
      select f.table_name, f.workspace, f.others, f.error, facteur_now()
      from ${rowList(failures, 'f', { text: ['tableName', 'workspace', 'error'], int: ['others'] })}
      on conflict (table_name) do update set workspace = excluded.workspace, others = excluded.others,
        error = excluded.error`)
}

export function cleanUpFailures(db: Database): Promise<(CleanUpFailure & { since: Date })[]> {
  return db.rows(sql`
    select table_name, workspace, others, error, since from clean_up_failure order by since, table_name`)
}
