/** The slots of a workspace for counts, which all processes share: advisory locks of its database. */
import { sql } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'

/** `long`: of counts that may take longer than the others, of which one runs at once. */
export type CountSlots = 'short' | 'long'

/** Any numbers work that nothing else in this database locks; a slot for each. */
const locks = { short: [7_305_205, 7_305_206], long: [7_305_207, 7_305_207] } as const

/**
 * Takes a free slot until the transaction ends. False where none is free: it never waits, because a
 * waiting caller holds a connection.
 */
export function takeCountSlot(
  tx: Database,
  workspaceId: number,
  slots: CountSlots,
): Promise<boolean> {
  const [first, second] = locks[slots]
  // A transaction may take a lock that it has: the second one is asked for only where the first is not free.
  return tx.onlyValue<boolean>(sql`
    select case when pg_try_advisory_xact_lock(${first}::int, hashint8(${workspaceId}::bigint)) then true
      else pg_try_advisory_xact_lock(${second}::int, hashint8(${workspaceId}::bigint)) end as taken`)
}
