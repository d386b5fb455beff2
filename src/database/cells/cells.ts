/**
 * The cells of the installation: schemas, each with every table of workspace data for a share of
 * the workspaces (docs/decisions/0060-cells.md).
 */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'

export interface Cell {
  id: number
  schema: string
}

/** A process uses what it knows of cells for so long after its last look. */
export const knownMs = 2_000

/** The cells that are ready, by their numbers. Cell 1 is always there. */
export function cells(db: Database): Promise<Cell[]> {
  return db.rows<Cell>(sql`select id, schema from cell where is_ready order by id`)
}

/**
 * Rejects where a connection of the cell would find the tables of another one, such as after a
 * restore of some schemas alone.
 */
export async function requireSchema(db: Database, { id, schema }: Cell): Promise<void> {
  const result = await db.onlyValue<string | null>(sql`select current_schema()`)
  if (result !== schema) throw new Error(`Cell ${id} has no schema ${schema} here`)
}

/** Null if there is no such workspace. */
export function findCellOf(db: Database, workspaceId: number): Promise<number | null> {
  return db.value<number>(sql`select cell from workspace where id = ${workspaceId}`)
}

/**
 * For a new workspace: the ready cell with the fewest workspaces, and cell 1 only where there is no
 * other on a cluster, because the nodes are there to relieve it. One that has just become ready is
 * chosen only where there is no other, because a process that does not know it yet would not find
 * the workspace.
 */
export function chooseCell(db: Database): Promise<number> {
  return db.onlyValue<number>(sql`
    select c.id from cell c where c.is_ready
    order by c.id <> 1 and c.made_at > facteur_now() - ${knownMs} * interval '1 millisecond',
      c.id = 1 and exists (select from pg_extension where extname = 'citus'),
      (select count(*) from workspace w where w.cell = c.id), c.id limit 1`)
}
