/** Reads tables whole to count their rows and to compute their digests, and compares those of two databases. */
import type pg from 'pg'
import { createRowDigest, type CountedRows } from '../../backup-files/row-digest.ts'
import { quoted } from '../backups/table-shapes.ts'
import { columnsOf, type CopiedTable } from './copied-tables.ts'
import { readRows } from './copy-rows.ts'

export type TableDigests = ReadonlyMap<string, CountedRows>

export async function digestTables(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
  { onTable, signal }: { onTable?: (table: CopiedTable) => void; signal?: AbortSignal | undefined } = {},
): Promise<TableDigests> {
  const found = new Map<string, CountedRows>()
  for (const table of tables) {
    const digest = createRowDigest()
    // A partitioned table has no rows of its own to copy: a query reads its partitions.
    await readRows(client, { source: `(select ${columnsOf(table.columns)} from ${quoted(table.name)})`, digest, signal })
    found.set(table.name, digest.end())
    onTable?.(table)
  }
  return found
}

/** The names of the tables whose rows differ. */
export const differing = (a: TableDigests, b: TableDigests): string[] =>
  [...a].flatMap(([name, { rows, digest }]) => (b.get(name)?.rows === rows && b.get(name)?.digest === digest ? [] : [name]))
