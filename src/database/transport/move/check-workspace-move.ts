/** Refuses a move of a workspace, before anything of it is written. */
import { isUnfinished, workspaceMoves, type WorkspaceMove } from './workspace-moves.ts'
import { databaseCopy } from '../copy-state.ts'
import { inMovingTransaction } from './workspace-rows.ts'
import type pg from 'pg'
import { cellSummaries } from '../../cells/cell-list.ts'
import type { Database } from '../../client/database.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { type MoveWorkspace, type OpenMove, databaseOfClient } from './open-move.ts'

/** Answers what an earlier run has left of this workspace's move. */
export async function checkWorkspaceMove(
  { workspace, toCell, moved }: MoveWorkspace,
  db: Database,
): Promise<WorkspaceMove | undefined> {
  const target = (await cellSummaries(db)).find(({ id }) => id === toCell)
  if (!target)
    throw new OperatorError(
      `There is no cell ${toCell}: facteur cell list shows them. Nothing was changed.`,
    )
  if (!target.isReady)
    throw new OperatorError(
      `Cell ${toCell} is not ready: give facteur cell add once more. Nothing was changed.`,
    )
  const moves = await workspaceMoves(db)
  const known = moves.find(({ workspaceId }) => workspaceId === workspace.id)
  const other = moves.find((move) => move.workspaceId !== workspace.id && isUnfinished(move))
  if (other)
    throw new OperatorError(
      `Workspace ${other.slug} is on its way to cell ${other.toCell}: facteur workspace move ${other.slug} ${other.toCell} goes on with it. Nothing was changed.`,
    )
  if (known && ['copying', 'held'].includes(known.state) && known.toCell !== toCell)
    throw new OperatorError(
      `Workspace ${workspace.slug} is on its way to cell ${known.toCell}: go on with that, or give it up (facteur workspace move ${workspace.slug} ${known.toCell} --cancel). Nothing was changed.`,
    )
  if (workspace.cell === toCell && known?.state !== 'moved')
    throw new OperatorError(
      `Workspace ${workspace.slug} is in cell ${toCell} already. Nothing was changed.`,
    )
  const why = await moved.whyNot(db, workspace)
  if (why !== null) throw new OperatorError(`${why} Nothing was changed.`)
  if (await databaseCopy(db))
    throw new OperatorError(
      'A copy of this database was begun: end it first, or give it up (facteur database copy --abort). Nothing was changed.',
    )
  return known?.state === 'held' ? { ...known, state: 'copying' } : known
}

/** The checks that need the cells; nothing of the move is written before them. */
export async function checkInCells({ from, to, workspaceId, moved }: OpenMove): Promise<void> {
  for (const client of [from, to]) await requirePrivilege(client)
  const why = await moved.whyNotInCell(databaseOfClient(from), workspaceId)
  if (why !== null) throw new OperatorError(`${why} Nothing was changed.`)
}

export async function requirePrivilege(client: pg.Client): Promise<void> {
  await inMovingTransaction(client, async () => undefined).catch((error: unknown) => {
    throw new OperatorError(
      `The database user may not set session_replication_role: as a superuser, GRANT SET ON PARAMETER session_replication_role TO the user (${(error as Error).message}). Nothing was changed.`,
    )
  })
}
