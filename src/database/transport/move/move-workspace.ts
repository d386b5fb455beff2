/**
 * Moves a workspace from its cell to another one while it sends (docs/decisions/0060-cells.md):
 *
 * 1. Capture the keys of its rows that change from now on.
 * 2. Copy its rows, table by table; apply what has changed meanwhile, until that is little.
 * 3. Read both cells' rows whole, at one moment of the old cell, and compare them.
 * 4. Hold: calls and workers wait, mails in hand end, and the old cell refuses changes by whichever
 *    process.
 * 5. Apply the rest, and decide: one commit.
 * 6. Compare the old rows with what has moved, and delete them.
 *
 * Killed anywhere, the same command goes on. Before the commit the old cell has the workspace; a
 * hold ends by itself.
 */
import { beginWorkspaceMove, forgetWorkspaceMove, workspaceMoves } from './workspace-moves.ts'
import { connect } from '../../client/connect.ts'
import { databaseOn } from '../../client/camel-case-rows.ts'
import { withCopyClient } from '../copy-client.ts'
import { endWorkspaceCapture } from './workspace-capture.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { type MoveWorkspace, takeMoveLocks, withOpenMove } from './open-move.ts'
import { checkWorkspaceMove, checkInCells } from './check-workspace-move.ts'
import { copyWorkspace, compareCells } from './copy-workspace.ts'
import { switchCells } from './switch-workspace.ts'
import { letWorkspaceGo, emptyNewCell } from './let-workspace-go.ts'
import { type MovedWorkspace, clearOldCell } from './clear-old-cell.ts'

/**
 * Throws `OperatorError` where it cannot be done: the workspace is in its cell then, and goes on.
 */
export async function moveWorkspace(options: MoveWorkspace): Promise<MovedWorkspace> {
  const db = connect({
    connectionString: options.connectionString,
    poolSize: 2,
    applicationName: 'facteur move',
  })
  try {
    return await withCopyClient(options.connectionString, async (locks) => {
      await takeMoveLocks(options, databaseOn(locks))
      const workspaceId = options.workspace.id
      const known = await checkWorkspaceMove(options, db)
      if (known?.state === 'moved') {
        const ended = await withOpenMove({ ...options, db }, known, clearOldCell)
        if (known.toCell === options.toCell) return ended
      }
      const { cell } = options.workspace
      const isBegun = known?.state === 'copying' && known.toCell === options.toCell
      const requested = {
        workspaceId,
        fromCell: known?.state === 'moved' ? known.toCell : cell,
        toCell: options.toCell,
      }
      return withOpenMove({ ...options, db }, requested, async (move) => {
        await checkInCells(move)
        if (!isBegun) await beginWorkspaceMove(db, requested)
        await copyWorkspace(move)
        const digests = await compareCells(move)
        const pauseMs = await switchCells(move, digests)
        return { ...(await clearOldCell(move)), pauseMs }
      })
    })
  } finally {
    await db.end()
  }
}

/**
 * Gives a move up that has not switched. Answers the cell that it was to go to. Null if there was
 * none.
 */
export async function abandonWorkspaceMove(
  options: Omit<MoveWorkspace, 'toCell' | 'onProgress'>,
): Promise<number | null> {
  const { connectionString, workspace } = options
  const db = connect({ connectionString, poolSize: 2, applicationName: 'facteur move' })
  try {
    return await withCopyClient(connectionString, async (locks) => {
      await takeMoveLocks(options, databaseOn(locks))
      const known = (await workspaceMoves(db)).find(
        ({ workspaceId }) => workspaceId === workspace.id,
      )
      if (!known || known.state === 'cleared') return null
      if (known.state === 'moved')
        throw new OperatorError(
          `The workspace is in cell ${known.toCell} already: the same command without --cancel deletes what is left in cell ${known.fromCell}.`,
        )
      await withOpenMove(
        { ...options, db, toCell: known.toCell, onProgress: () => undefined },
        known,
        async (move) => {
          await letWorkspaceGo(move)
          await endWorkspaceCapture(move.from, move)
          await endWorkspaceCapture(move.to, move)
          await emptyNewCell(move, [...move.tables, ...move.lateTables])
          await forgetWorkspaceMove(db, workspace.id)
        },
      )
      return known.toCell
    })
  } finally {
    await db.end()
  }
}
