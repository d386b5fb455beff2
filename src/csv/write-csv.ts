/** Writes separated values (RFC 4180) that a spreadsheet shows and does not carry out, and takes the mark of that off again. */

/** One record with its line end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** What a spreadsheet would read as a formula is preceded by an apostrophe, which it takes for "this is text"; so is what looks guarded already. */
const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",;\t\r\n]|^ | $/

function csvCell(text: string): string {
  const guarded = formula.test(text) ? `'${text}` : text
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A cell as it was before `csvLine` guarded it. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell)
