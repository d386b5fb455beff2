/** Wakes the workers of a cell in every process: rows have come there with their times. */
import { CHANNEL, homeCell } from '../cells/cell-changes.ts'
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'
import type { DueLane } from '../sending/due.ts'

export async function wakeCell(tx: Database, cell: number): Promise<void> {
  const hints = allLanes.map((lane) => (cell === homeCell.id ? lane : `${lane}@${cell}`))
  await tx.rows(sql`select pg_notify(${CHANNEL}, ${`operator ${hints.join(' ')}`})`)
}

const lanes: Record<DueLane, true> = {
  ...{
    transactional: true,
    campaign: true,
    feedback: true,
    subscribers: true,
    sign_up: true,
    webhook: true,
    domain: true,
    import: true,
  },
}
const allLanes = Object.keys(lanes)
