/** The cells of the installation: schemas, each with every table of workspace data for a share of the workspaces (docs/decisions/0060-cells.md). */
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

export interface Cell {
  id: number
  schema: string
}

/** The cells that are ready, by their numbers. Cell 1 is always there. */
export function cells(db: Database): Promise<Cell[]> {
  return db.rows<Cell>(sql`select id, schema from cell where is_ready order by id`)
}

/** Null: there is no such workspace. */
export function findCellOf(db: Database, workspaceId: number): Promise<number | null> {
  return db.value<number>(sql`select cell from workspace where id = ${workspaceId}`)
}

/** For a new workspace: the ready cell with the fewest workspaces. */
export function chooseCell(db: Database): Promise<number> {
  return db.onlyValue<number>(sql`
    select c.id from cell c where c.is_ready order by (select count(*) from workspace w where w.cell = c.id), c.id limit 1`)
}
