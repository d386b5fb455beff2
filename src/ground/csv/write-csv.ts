/**
 * Writes separated values (RFC 4180) that a spreadsheet shows and does not execute, and removes the
 * guard again.
 */

/** One record with its line end. */
export const csvLine = (values: readonly string[]): string =>
  `${values.map((value) => csvValue(value)).join(',')}\r\n`

/**
 * A spreadsheet reads such a value as a formula. An apostrophe before it marks it as text. A value
 * that looks guarded gets one more, so that `unguarded` restores it.
 */
const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",;\t\r\n]|^ | $/

/** One value; `delimiter`: of a file whose values are divided by another character than these. */
export function csvValue(text: string, delimiter = ','): string {
  const guarded = formula.test(text) ? `'${text}` : text
  return needsQuotes.test(guarded) || guarded.includes(delimiter)
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded
}

/** A line of another's file with the guard in each value that needs it; nothing else changes. */
export function guardedLine(line: string, delimiter: string): string {
  let guarded = ''
  for (let at = 0; ;) {
    const end = endOfValue(line, at, delimiter)
    guarded += guardedValue(line.slice(at, end))
    if (end === line.length) return guarded
    guarded += delimiter
    at = end + 1
  }
}

function endOfValue(line: string, at: number, delimiter: string): number {
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

function guardedValue(value: string): string {
  const content = value.startsWith('"') ? value.slice(1) : value
  if (formula.test(content)) return `${value.slice(0, value.length - content.length)}'${content}`
  return content === value && formulaBehind.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** A value as it was before `csvLine` guarded it. */
export const unguarded = (value: string): string =>
  value.startsWith("'") && formula.test(value.slice(1)) ? value.slice(1) : value
