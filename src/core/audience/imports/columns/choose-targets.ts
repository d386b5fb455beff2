/** Chooses the target of each column: as a caller names it by its header, else as the header says. */
import { shapeError } from '../../../input/shape-error.ts'
import { guessTargets, isColumnTarget } from './import-columns.ts'

/** Throws `validation_error`. The address must be chosen once, which `readTargets()` checks. */
export function chooseTargets(
  headers: string[],
  columns: Record<string, string>,
): (string | null)[] {
  const chosen = new Map<number, string | null>()
  for (const [header, target] of Object.entries(columns)) {
    const column = headers.indexOf(header.trim())
    if (column === -1) throw shapeError([{ path: `columns.${header}`, rule: 'no_such_column' }])
    if (target !== 'none' && !isColumnTarget(target))
      throw shapeError([{ path: `columns.${header}`, rule: 'target' }])
    chosen.set(column, target === 'none' ? null : target)
  }
  const taken = new Set(chosen.values())
  // What a column is named to hold, no other is guessed to hold.
  return guessTargets(headers).map((guess, column) => {
    const named = chosen.get(column)
    if (named !== undefined) return named
    return taken.has(guess) ? null : guess
  })
}
