/** Compares the rows in the old cell with what has moved, and deletes them. */
import { digestsOfSwitch, recordCleared } from './workspace-moves.ts'
import { differing } from '../table-digests.ts'
import { endWorkspaceCapture } from './workspace-capture.ts'
import { deleteRowsOf, digestRowsOf } from './workspace-rows.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { OpenMove } from './open-move.ts'
import { requirePrivilege } from './check-workspace-move.ts'

export interface MovedWorkspace {
  fromCell: number
  toCell: number
  tables: number
  rows: number
  /** Rows that changed while they were copied. */
  changes: number
  /**
   * From the hold until processes were notified of the new cell. Null means an earlier run had
   * switched.
   */
  pauseMs: number | null
}

/** Calls that began before the hold may still read in the old cell. */
const readersMs = 3_000

/** Step 6, and what a run that was killed after the switch has left. */
export async function clearOldCell(move: OpenMove): Promise<MovedWorkspace> {
  const { db, from, to, workspaceId, fromCell, toCell, progress, onProgress, signal, failpoints } =
    move
  const tables = [...move.tables, ...move.lateTables]
  for (const client of [from, to]) await requirePrivilege(client)
  // The new cell is an ordinary one for the workspace from here on.
  await endWorkspaceCapture(to, move)
  const moved = await digestsOfSwitch(db, workspaceId)
  const all = [...moved.values()].reduce((sum, { rows }) => sum + rows, 0)
  await move.clock.sleep(readersMs, signal)
  progress('Deleting the rows in the old cell')
  let rows = 0
  for (const table of tables) {
    const known = moved.get(table.name)
    const result = await digestRowsOf(from, { workspaceId, table, signal })
    // What an earlier run has deleted in part cannot be compared any more; due rows went with the
    // switch.
    if (
      known &&
      result.rows >= known.rows &&
      result.rows > 0 &&
      differing(new Map([[table.name, known]]), new Map([[table.name, result]])).length > 0
    )
      throw new OperatorError(
        `The rows of ${table.name} in cell ${fromCell.id} are not those that have moved: something has written there since. They were left; nothing reads them.`,
      )
    await deleteRowsOf(from, {
      ...{ workspaceId, table, signal },
      onRows(deleted) {
        rows += deleted
        onProgress({ step: 'clearing', share: Math.min(1, rows / Math.max(1, all)), rows })
      },
    })
    await failpoints?.hit('workspace.cleared_table')
  }
  await recordCleared(db, workspaceId)
  return {
    fromCell: fromCell.id,
    toCell,
    tables: tables.length,
    rows: all,
    changes: move.changes,
    pauseMs: null,
  }
}
