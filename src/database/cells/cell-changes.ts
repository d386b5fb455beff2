/** How processes notice that a cell was added, or that a workspace moved to another one. */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import type { Cell } from './cells.ts'

/** The one that every installation has: the global tables stand there too. */
export const homeCell: Cell = { id: 1, schema: 'public' }

/** The channel of all hints between processes. */
export const CHANNEL = 'facteur_due'
export const cellsWakeUp = 'cells'

/** A cell, and a text that is another one after each change of its row. */
export interface CellState extends Cell {
  version: string
}

export interface CellMoves {
  /** Workspaces in the last step of their move to another cell. */
  paused: number[]
  /** Those that nobody ended that step of. */
  overdue: number[]
  /** Those of the cell with a move that does not hold them: their changes pass. */
  unpaused: number[]
}

/** The cells that are ready, by their numbers. */
export function cellStates(db: Database): Promise<(CellState & CellMoves)[]> {
  return db.rows(sql`
    select c.id, c.schema, c.xmin::text as version,
      array(select workspace::float8
        from workspace_move
        where from_cell = c.id and state = 'held' and held_until > facteur_now()) as paused,
      array(select workspace::float8
        from workspace_move
        where from_cell = c.id and state = 'held' and held_until <= facteur_now()) as overdue,
      array(
        select w.id::float8
        from workspace_move m
        join workspace w on w.id = m.workspace
        where w.cell = c.id and m.state <> 'held') as unpaused
    from cell c where c.is_ready order by c.id`)
}

/**
 * Makes every process look the cells of workspaces up again: at once by its notification, and at
 * the latest within a second, since the row of the cell has another version. Call it in the
 * transaction that changes `workspace.cell`.
 */
export async function announceCells(tx: Database, cell: number): Promise<void> {
  await tx.count(sql`update cell set is_ready = is_ready where id = ${cell}`)
  await tx.rows(sql`select pg_notify(${CHANNEL}, ${`operator ${cellsWakeUp}`})`)
}
