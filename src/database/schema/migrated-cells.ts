/** The cells beside the first one, as migrations go through them (docs/decisions/0060-cells.md). */
import type pg from 'pg'
import { searchPathOf } from '../client/search-path.ts'

/**
 * Also those that are not ready: whoever makes them goes on with the schema of then. Most
 * installations have none.
 */
export async function otherCells(client: pg.ClientBase): Promise<{ id: number; schema: string }[]> {
  // The file that makes the column of `ahead` is applied before there can be another cell.
  const { rows: result } = await client.query(
    "select from pg_attribute where attrelid = to_regclass('cell') and attname = 'ahead'",
  )
  if (result.length === 0) return []
  const { rows } = await client.query<{ id: number; schema: string }>(
    'select id, schema from cell where id <> 1 order by id',
  )
  return rows
}

/** Names of tables mean those of the schema first, and global ones otherwise. */
export async function inSchema<T>(
  client: pg.ClientBase,
  schema: string,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`set search_path = ${searchPathOf(schema)}`)
  try {
    return await work()
  } finally {
    await client.query('reset search_path').catch(() => undefined)
  }
}

export async function hasApplied(
  client: pg.ClientBase,
  cell: number,
  name: string,
): Promise<boolean> {
  const { rows } = await client.query('select from cell where id = $1 and ahead = $2', [cell, name])
  return rows.length > 0
}

export async function markApplied(
  client: pg.ClientBase,
  cell: number,
  name: string,
): Promise<void> {
  await client.query('update cell set ahead = $2 where id = $1', [cell, name])
}
