/**
 * Brings a copy to the moment of a snapshot of its source: each row that has changed is deleted,
 * and copied again where it still exists.
 */
import type pg from 'pg'
import { changedRows, createRowDigest, type CountedRows } from './row-digest.ts'
import { quoted } from './table-shapes.ts'
import { changedKeys, changedTables, isKeyOf, keyColumns, keyNames } from './change-capture.ts'
import { columnsOf, type CopiedTable } from './copied-tables.ts'
import { passRows, readRows } from './copy-rows.ts'

export interface ApplyChanges {
  /** Within a transaction that sees one snapshot. */
  from: pg.Client
  /** Within a transaction. */
  to: pg.Client
  tables: readonly CopiedTable[]
  /**
   * The counts and digests of the target, which follow the changes. Absent if they are not known
   * yet.
   */
  digests?: Map<string, CountedRows> | undefined
}

export interface AppliedChanges {
  rows: number
  tables: CopiedTable[]
}

export async function applyChanges({
  from,
  to,
  tables,
  digests,
}: ApplyChanges): Promise<AppliedChanges> {
  const changed = await changedTables(from, tables)
  let rows = 0
  for (const table of changed) rows += await applyTable({ from, to, table, digests })
  return { rows, tables: changed }
}

async function applyTable({
  from,
  to,
  table,
  digests,
}: Omit<ApplyChanges, 'tables'> & { table: CopiedTable }): Promise<number> {
  const name = quoted(table.name)
  await to.query(`create temporary table copy_key (${keyColumns(table)}) on commit drop`)
  const rows = await passRows({
    from,
    to,
    source: changedKeys(table),
    target: `copy_key (${keyNames(table)})`,
  })
  await to.query('analyze copy_key')
  const [left, came] = [createRowDigest(), createRowDigest()]
  const known = digests?.get(table.name)
  const columns = columnsOf(table.columns, 't')
  // What the target really has of them: a change that is applied twice changes nothing.
  if (known)
    await readRows(to, {
      source: `(select ${columns} from ${name} t join copy_key k on ${isKeyOf(table)})`,
      digest: left,
    })
  await to.query(`delete from ${name} t using copy_key k where ${isKeyOf(table)}`)
  await passRows({
    ...{ from, to, digest: came },
    source: `(select ${columns} from ${name} t join ${changedKeys(table)} k on ${isKeyOf(table)})`,
    target: `${name} (${columnsOf(table.columns)})`,
  })
  if (known) digests?.set(table.name, changedRows(known, { left: left.end(), came: came.end() }))
  await to.query('drop table copy_key')
  return rows
}
