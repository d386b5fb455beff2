/** Says what an operator does about the move of a workspace that was left in the middle. */
import type { WorkspaceMove } from './workspace-moves.ts'

export function nextOfMove({
  state,
  slug,
  toCell,
}: Pick<WorkspaceMove, 'state' | 'slug' | 'toCell'>): string {
  const line = `facteur workspace move ${slug} ${toCell}`
  return state === 'moved'
    ? `Run ${line}, which deletes the rows in the old cell.`
    : `Run ${line} to go on, or ${line} --cancel to give it up.`
}
