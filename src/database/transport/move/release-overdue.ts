/**
 * Lets a workspace go on in its cell that no move holds any more, such as one whose move was killed
 * in its last step:
 *
 * 1. Look: its hold is overdue, or its gate refuses changes though nothing holds it.
 * 2. Lock the row of the move, for which a move that returns waits before it holds or switches. It
 *    may have returned already.
 * 3. Open the gate in the cell that has the workspace: a commit of that cell's own.
 * 4. Release: the commit of the row.
 *
 * Killed anywhere, the next look of any process goes on: until step 4 the hold is overdue, and
 * nothing can switch.
 */
import { findCellOf } from '../../cells/cells.ts'
import { lockUnpausedMove, releaseWorkspace } from './workspace-moves.ts'
import { isGateClosing, openGate } from './workspace-capture.ts'
import type { Connection } from '../../client/connect.ts'
import type { Failpoints } from '../../../ground/failpoints.ts'

/**
 * `home`: of the global tables. `old`: of the cell that has the workspace. Answers whether there
 * was something to do.
 */
export async function releaseOverdue(
  home: { db: Connection; failpoints: Failpoints | null },
  old: { db: Connection; cell: number },
  { workspaceId, isOverdue }: { workspaceId: number; isOverdue: boolean },
): Promise<boolean> {
  if (!isOverdue && !(await isGateClosing(old.db, workspaceId))) return false
  await home.failpoints?.hit('workspace.overdue')
  const isReleased = await home.db.transaction(async (tx) => {
    if (!(await lockUnpausedMove(tx, workspaceId))) return false
    // A cell that the workspace has left, or is yet to enter, goes on refusing. While the row is
    // locked, nothing switches.
    if ((await findCellOf(tx, workspaceId)) !== old.cell) return false
    await old.db.transaction((cell) => openGate(cell, workspaceId))
    await home.failpoints?.hit('workspace.reopened')
    await releaseWorkspace(tx, workspaceId)
    return true
  })
  if (isReleased) await home.failpoints?.hit('workspace.released')
  return isReleased
}
