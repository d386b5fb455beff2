/**
 * Holds a workspace, applies the rest of its changes, and decides that the new cell has it: one
 * commit.
 */
import type { CountedRows } from '../row-digest.ts'
import { announceCells } from '../../cells/cell-changes.ts'
import { pauseWorkspace, switchWorkspace, workspaceMoves } from './workspace-moves.ts'
import { closeGate } from './workspace-capture.ts'
import { copyRowsOf, deleteRowsOf, inMovingTransaction } from './workspace-rows.ts'
import { oldCellRefuses, leaveCell, raiseSequences } from './workspace-target.ts'
import { wakeCell } from './wake-cell.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { type OpenMove, databaseOfClient } from './open-move.ts'
import { catchUp, applySnapshot } from './copy-workspace.ts'
import { letWorkspaceGo, reopenGate } from './let-workspace-go.ts'

/**
 * How long work in hand may take to end; how long a hold lasts where nobody ends it; and the pauses
 * before further tries.
 */
const drainMs = 15_000

const pauseSeconds = 30

const retryMs = [5_000, 15_000, 30_000]

/** Steps 4 and 5. Answers for how long the workspace waited. */
export async function switchCells(
  move: OpenMove,
  digests: Map<string, CountedRows>,
): Promise<number> {
  const { clock, progress, signal } = move
  for (let tries = 0; ; tries++) {
    // Nearly all of this is done before anybody waits.
    await raiseSequences(move.from, move.to)
    await catchUp(move, digests)
    const pauseMs = await trySwitch(move, digests)
    if (pauseMs !== null) return pauseMs
    const waitMs = retryMs[tries]
    if (waitMs === undefined)
      throw new OperatorError(
        `Work of the workspace did not end within ${drainMs / 1_000} s, in ${tries + 1} tries. Nothing was switched: the same command goes on.`,
      )
    progress(
      `Work in hand did not end within ${drainMs / 1_000} s: the workspace goes on, and the next try comes in ${waitMs / 1_000} s`,
    )
    await clock.sleep(waitMs, signal)
  }
}

async function trySwitch(
  move: OpenMove,
  digests: Map<string, CountedRows>,
): Promise<number | null> {
  const { db, clock, workspaceId, progress, failpoints } = move
  progress('Holding the workspace')
  const beganAtMs = clock.monotonicMs()
  // The variant that the tests must notice: nothing waits, and the old cell takes what comes.
  const isOpen = failpoints?.broken('workspace.gate')
  try {
    await pauseWorkspace(db, workspaceId, pauseSeconds)
    if (!isOpen) await announceCells(db, move.fromCell.id)
    await failpoints?.hit('workspace.held')
    if (!isOpen && !(await drain(move))) {
      await letWorkspaceGo(move)
      return null
    }
    await failpoints?.hit('workspace.closed')
    await applySnapshot(move, digests)
    await copyLate(move)
    await raiseSequences(move.from, move.to)
    await failpoints?.hit('workspace.before_switch')
    await decide(move, digests)
  } catch (error) {
    const now = (await workspaceMoves(db)).find((each) => each.workspaceId === workspaceId)
    // Whether the commit arrived is not known where the connection was lost with it.
    if (now?.state !== 'moved') {
      await letWorkspaceGo(move)
      throw error
    }
  }
  const pauseMs = Math.round(clock.monotonicMs() - beganAtMs)
  await failpoints?.hit('workspace.switched')
  return pauseMs
}

/** True: nothing of the workspace is in anybody's hands, and the old cell refuses its changes. */
async function drain(move: OpenMove): Promise<boolean> {
  const { clock, workspaceId, moved, signal } = move
  const old = databaseOfClient(move.from)
  const endsAtMs = clock.monotonicMs() + drainMs
  while (clock.monotonicMs() < endsAtMs) {
    signal.throwIfAborted()
    if ((await moved.countWithheld(old, workspaceId)) === 0) {
      await closeGate(move.from, workspaceId)
      if ((await moved.countWithheld(old, workspaceId)) === 0) return true
      // A process that had not heard of it has claimed in between, and has to record what becomes
      // of that.
      await reopenGate(move)
    }
    await clock.sleep(20)
  }
  return false
}

/** A handful of rows. Without the switch they go again. */
async function copyLate(move: OpenMove): Promise<void> {
  const { to, lateTables, workspaceId, signal } = move
  for (const table of lateTables) {
    await deleteRowsOf(to, { ...move, table, onRows: () => undefined })
    await copyRowsOf(move, { workspaceId, table, signal, onBytes: () => undefined })
  }
}

/**
 * No row of it is looked for in the old cell any more: neither by workers, nor where a process has
 * not heard of it.
 */
async function decide(move: OpenMove, digests: Map<string, CountedRows>): Promise<void> {
  const { to, workspaceId, fromCell, toCell, moved, failpoints } = move
  const old = { workspaceId, fromSchema: fromCell.schema }
  await inMovingTransaction(to, async () => {
    const tx = databaseOfClient(to)
    const isClosed = async (): Promise<boolean> =>
      failpoints?.broken('workspace.gate') || (await oldCellRefuses(to, old))
    if (!(await switchWorkspace(tx, { workspaceId, digests })) || !(await isClosed()))
      throw new OperatorError(
        'The last step took too long: the workspace goes on in its cell. Nothing was switched; the same command goes on.',
      )
    await leaveCell(to, old)
    await announceCells(tx, fromCell.id)
    await wakeCell(tx, toCell, moved.lanes)
  })
}
