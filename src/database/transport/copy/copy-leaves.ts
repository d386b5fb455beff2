/**
 * Copies the rows of tables that a target does not have yet: small leaves share a transaction, so
 * that a kill costs little.
 */
import type pg from 'pg'
import { quoted } from '../table-shapes.ts'
import { columnsOf, type CopiedTable, type Leaf } from '../copied-tables.ts'
import { inTransactionOf } from '../copy-client.ts'
import { passRows } from '../copy-rows.ts'
import { copiedLeaves, rememberLeaf } from './copy-target.ts'

/** Leaves share a transaction up to this size. */
const sharedBytes = 16 * 1024 * 1024

export interface CopyLeaves {
  from: pg.Client
  to: pg.Client
  tables: readonly CopiedTable[]
  /** `share` from 0 to 1, as far as sizes on the disk tell. */
  onProgress(progress: { share: number; rows: number; bytes: number }): void
  signal: AbortSignal
}

/** Answers how many rows and bytes passed, those of an earlier run included in the rows. */
export async function copyLeaves({
  from,
  to,
  tables,
  onProgress,
  signal,
}: CopyLeaves): Promise<{ rows: number; bytes: number }> {
  const done = await copiedLeaves(to)
  const missing = tables.flatMap((table) =>
    table.leaves.flatMap((leaf) => (done.has(leaf.name) ? [] : [{ table, leaf }])),
  )
  const expected = tables.flatMap(({ leaves }) => leaves).reduce((sum, { bytes }) => sum + bytes, 0)
  let ended = expected - missing.reduce((sum, { leaf }) => sum + leaf.bytes, 0)
  let rows = [...done.values()].reduce((sum, count) => sum + count, 0)
  let bytes = 0
  for (const group of groupsOf(missing)) {
    await inTransactionOf(to, 'begin', async () => {
      for (const { table, leaf } of group) {
        signal.throwIfAborted()
        let passed = 0
        const count = await copyLeaf({ from, to, table, leaf, signal }, (chunk) => {
          passed += chunk
          bytes += chunk
          const share =
            expected > 0 ? Math.min(1, (ended + Math.min(passed, leaf.bytes)) / expected) : 1
          onProgress({ share, rows, bytes })
        })
        rows += count
        ended += leaf.bytes
      }
    })
  }
  return { rows, bytes }
}

async function copyLeaf(
  {
    from,
    to,
    table,
    leaf,
    signal,
  }: { from: pg.Client; to: pg.Client; table: CopiedTable; leaf: Leaf; signal: AbortSignal },
  onBytes: (bytes: number) => void,
): Promise<number> {
  const [name, columns] = [quoted(leaf.name), columnsOf(table.columns)]
  // Right after this, PostgreSQL may write rows as if they were old already: nobody else sees the
  // table meanwhile.
  await to.query(`truncate ${name}`)
  const path = `${name} (${columns})`
  const rows = await passRows({
    from,
    to,
    source: path,
    target: path,
    options: 'freeze true',
    onBytes,
    signal,
  })
  await rememberLeaf(to, leaf.name, rows)
  return rows
}

function groupsOf(
  missing: { table: CopiedTable; leaf: Leaf }[],
): { table: CopiedTable; leaf: Leaf }[][] {
  const groups: { table: CopiedTable; leaf: Leaf }[][] = []
  let bytes = Infinity
  for (const each of missing) {
    if (bytes + each.leaf.bytes > sharedBytes) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(each)
    bytes += each.leaf.bytes
  }
  return groups
}
