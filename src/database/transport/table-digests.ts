/**
 * Reads tables whole to count their rows and to compute their digests, and compares those of two
 * databases.
 */
import type pg from 'pg'
import { createRowDigest, type CountedRows } from './row-digest.ts'
import { quoted } from './table-shapes.ts'
import { columnsOf, type CopiedTable } from './copied-tables.ts'
import { readRows } from './copy-rows.ts'

export type TableDigests = ReadonlyMap<string, CountedRows>

/**
 * `onBytes`: the bytes that were read since the last call; their sum is what the tables take on the
 * disk.
 */
export async function digestTables(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
  { onBytes, signal }: { onBytes?: (bytes: number) => void; signal?: AbortSignal | undefined } = {},
): Promise<TableDigests> {
  const byKey = new Map<string, CountedRows>()
  for (const table of tables) {
    const digest = createRowDigest()
    // A partitioned table has no rows of its own to copy: a query reads its partitions.
    const source = `(select ${columnsOf(table.columns)} from ${quoted(table.name)})`
    let left = table.bytes
    const report = (bytes: number): void => {
      onBytes?.(Math.min(bytes, left))
      left -= Math.min(bytes, left)
    }
    await readRows(client, { source, digest, signal, onBytes: report })
    report(left)
    byKey.set(table.name, digest.end())
  }
  return byKey
}

/**
 * Turns the bytes of so many readings of all tables into a share of the whole, by their sizes on
 * the disk.
 */
export function shareOfReads(
  tables: readonly CopiedTable[],
  readings: number,
  onShare: (share: number) => void,
): (bytes: number) => void {
  const expected = readings * tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let read = 0
  return (bytes) => {
    read += bytes
    onShare(expected > 0 ? read / expected : 1)
  }
}

/** The names of the tables whose rows differ. */
export const differing = (a: TableDigests, b: TableDigests): string[] =>
  [...a].flatMap(([name, { rows, digest }]) =>
    b.get(name)?.rows === rows && b.get(name)?.digest === digest ? [] : [name],
  )
