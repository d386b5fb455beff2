/** Writes separated values (RFC 4180) that a spreadsheet shows and does not execute, and removes the guard again. */

/** One record with its line end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/**
 * A spreadsheet reads such a cell as a formula. An apostrophe before it marks it as text. A cell that looks guarded gets one
 * more, so that `unguarded` restores it.
 */
const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",;\t\r\n]|^ | $/

function csvCell(text: string): string {
  const guarded = formula.test(text) ? `'${text}` : text
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A cell as it was before `csvLine` guarded it. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell)
