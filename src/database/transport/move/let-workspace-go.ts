/**
 * Ends the hold of a workspace that stays in its cell, and takes from the new cell what workers
 * would find there.
 */
import { announceCells } from '../../cells/cell-changes.ts'
import { inTransactionOf } from '../copy-client.ts'
import { releaseWorkspace } from './workspace-moves.ts'
import type { CopiedTable } from '../copied-tables.ts'
import { openGate } from './workspace-capture.ts'
import { deleteRowsOf, hasRowsOf } from './workspace-rows.ts'
import { type OpenMove, databaseOfClient } from './open-move.ts'

export async function letWorkspaceGo(move: OpenMove): Promise<void> {
  const { db, workspaceId, fromCell } = move
  await emptyNewCell(move, move.lateTables)
  await reopenGate(move)
  if (await releaseWorkspace(db, workspaceId)) await announceCells(db, fromCell.id)
}

/** The old cell takes changes of the workspace again. */
export const reopenGate = ({ from, workspaceId }: OpenMove): Promise<void> =>
  inTransactionOf(from, 'begin', () => openGate(databaseOfClient(from), workspaceId))

/** In the new cell. Where nothing was copied, it needs no privilege. */
export async function emptyNewCell(move: OpenMove, tables: readonly CopiedTable[]): Promise<void> {
  for (const table of tables)
    if (await hasRowsOf(move.to, { ...move, table }))
      await deleteRowsOf(move.to, { ...move, table, onRows: () => undefined })
}
