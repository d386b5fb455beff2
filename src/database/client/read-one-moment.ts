/** Lets the queries of a transaction read one moment. */
import type { Database } from './database.ts'
import { sql } from './sql.ts'

/** Everything that the transaction reads from here on is of one moment; call it first. */
export async function readOneMoment(tx: Database): Promise<void> {
  await tx.count(sql`set transaction isolation level repeatable read`)
}
