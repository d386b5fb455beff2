/** Refused lines as they stood in their file, with the reason in a column behind the others. */
import type { Language } from '../../contract/errors.ts'
import type { CsvRecord } from '../../ground/csv/read-csv.ts'
import { csvValue, guardedLine } from '../../ground/csv/write-csv.ts'
import type { FileLayout, StoredRefusal } from '../../db/files/import-refusals.ts'
import { texts } from '../../ground/texts/texts.ts'
import { explainReason } from './import-reasons.ts'

/** Longest line that is stored, in UTF-16 units: of a longer one only the address is. */
const lineMax = 20_000

/** `email`: the column of the address. */
export function layoutOf(
  { header, delimiter }: { header: CsvRecord; delimiter: string },
  email: number,
): FileLayout {
  const text = withoutLineEnd(header.text)
  const lineEnd = header.text.slice(text.length) || '\r\n'
  // No reader guesses such a delimiter.
  const named = [',', ';', '\t'].includes(delimiter) ? '' : `sep=${delimiter}${lineEnd}`
  return {
    header: named + guardedLine(text, delimiter),
    lineEnd,
    delimiter,
    columns: header.values.length,
    email,
  }
}

/**
 * A line as it stands in its file, with the values that it lacks: the reason then stands behind the
 * last column. Null when it is too long.
 */
export function refusedLine(
  { text, values }: Pick<CsvRecord, 'text' | 'values'>,
  { columns, delimiter }: FileLayout,
): string | null {
  const line = withoutLineEnd(text) + delimiter.repeat(Math.max(0, columns - values.length))
  // PostgreSQL stores no NUL.
  return line.length > lineMax ? null : line.replaceAll('\0', '\ufffd')
}

export const refusedHeader = (
  { header, delimiter, lineEnd }: FileLayout,
  language: Language,
): string =>
  `${header}${delimiter}${csvValue(texts[language].importReasons.column, delimiter)}${lineEnd}`

/**
 * A line that is not stored has only its address. A value that a spreadsheet would evaluate is
 * guarded, as in all our files.
 */
export function writeRefused(
  { columns, email: column, delimiter, lineEnd }: FileLayout,
  { content, email, reason }: StoredRefusal,
  language: Language,
): string {
  const only = Array.from({ length: columns }, (_, each) =>
    each === column ? csvValue(email, delimiter) : '',
  ).join(delimiter)
  const line = content === null ? only : guardedLine(content, delimiter)
  return `${line}${delimiter}${csvValue(explainReason(reason)[language], delimiter)}${lineEnd}`
}

const withoutLineEnd = (text: string): string => text.replace(/(?:\r\n|\r|\n)$/, '')
