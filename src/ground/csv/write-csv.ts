/**
 * Writes separated values (RFC 4180) that a spreadsheet shows and does not execute, and removes the
 * guard again.
 */

/** One record with its line end. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`

/**
 * A spreadsheet reads such a cell as a formula. An apostrophe before it marks it as text. A cell
 * that looks guarded gets one more, so that `unguarded` restores it.
 */
const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",;\t\r\n]|^ | $/

/** One cell; `delimiter`: of a file whose cells are divided by another character than these. */
export function csvCell(text: string, delimiter = ','): string {
  const guarded = formula.test(text) ? `'${text}` : text
  return needsQuotes.test(guarded) || guarded.includes(delimiter)
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded
}

/** A line of another's file with the guard in each cell that needs it, and nothing else changed. */
export function guardedLine(line: string, delimiter: string): string {
  let guarded = ''
  for (let at = 0; ;) {
    const end = endOfCell(line, at, delimiter)
    guarded += guardedCell(line.slice(at, end))
    if (end === line.length) return guarded
    guarded += delimiter
    at = end + 1
  }
}

function endOfCell(line: string, at: number, delimiter: string): number {
  let from = at
  if (line[at] === '"') {
    from = line.indexOf('"', at + 1)
    while (from !== -1 && line[from + 1] === '"') from = line.indexOf('"', from + 2)
  }
  const end = from === -1 ? -1 : line.indexOf(delimiter, from)
  return end === -1 ? line.length : end
}

/** Spreadsheets of other countries divide a line at other characters. */
const formulaBehind = /[,;\t]'*[=+\-@]/

function guardedCell(cell: string): string {
  const content = cell.startsWith('"') ? cell.slice(1) : cell
  if (formula.test(content)) return `${cell.slice(0, cell.length - content.length)}'${content}`
  return content === cell && formulaBehind.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A cell as it was before `csvLine` guarded it. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell
