/** Checks whether moves of workspaces from cell to cell go on, or were left in the middle. */
import { shownTime } from '../../../ground/shown-values.ts'
import { nextOfMove } from '../../../database/transport/move/next-of-move.ts'
import type { Database } from '../../../database/client/database.ts'
import { isCopyRunning } from '../../../database/transport/copy-state.ts'
import { isUnfinished, workspaceMoves } from '../../../database/transport/move/workspace-moves.ts'
import { passed, warned, type Check } from './check.ts'

/** Nothing where there is none. */
export async function checkWorkspaceMoves(db: Database): Promise<Check[]> {
  const unfinished = (await workspaceMoves(db)).filter(isUnfinished)
  const isRunning = unfinished.length > 0 && (await isCopyRunning(db))
  return unfinished.map((move) => {
    const { slug, fromCell, toCell, state, share, beganAt, movedAt, quietSeconds, isCaptured } =
      move
    const way = `workspace ${slug} from cell ${fromCell} to cell ${toCell}`
    if (isRunning)
      return passed(
        'workspace move',
        `${way}: ${state === 'moved' ? 'switched' : `${Math.floor(share * 100)} % copied`}, since ${shownTime(beganAt)} UTC`,
      )
    const quiet = `its command is quiet for ${Math.ceil(quietSeconds / 60)} min`
    return warned(
      'workspace move',
      state === 'moved'
        ? `${way}: it is there since ${shownTime(movedAt)} UTC, and rows are left in cell ${fromCell}; ${quiet}`
        : `${way} was left behind at ${Math.floor(share * 100)} %, ${isCaptured ? 'and each change of its rows is captured' : 'before it captured changes'}; ${quiet}`,
      nextOfMove(move),
    )
  })
}
