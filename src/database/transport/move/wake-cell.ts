/** Wakes the workers of a cell in every process: rows have come there with their times. */
import { CHANNEL, homeCell } from '../../cells/cell-changes.ts'
import { sql } from '../../client/sql.ts'
import type { Database } from '../../client/database.ts'

export async function wakeCell(
  tx: Database,
  cell: number,
  lanes: readonly string[],
): Promise<void> {
  const hints = lanes.map((lane) => (cell === homeCell.id ? lane : `${lane}@${cell}`))
  await tx.rows(sql`select pg_notify(${CHANNEL}, ${`operator ${hints.join(' ')}`})`)
}
