/** Lets a workspace go on in its cell whose move was killed in its last step. The switch and this exclude each other. */
import { releaseWorkspace } from '../../db/moves/workspace-moves.ts'
import { openGate } from '../../db/moves/workspace-capture.ts'
import type { Context } from '../context.ts'

/** `home`: of the global tables. `old`: of the cell that has the workspace. */
export async function releaseOverdue(home: Pick<Context, 'db'>, old: Pick<Context, 'db'>, workspaceId: number): Promise<void> {
  const isReleased = await home.db.transaction((tx) => releaseWorkspace(tx, workspaceId, { onlyOverdue: true }))
  if (isReleased) await openGate(old.db, workspaceId)
}
