/**
 * Reads the first lines of a stored file: its column names, their first values, what type these
 * look like, which columns may be new fields, and what may divide their tags.
 */
import type { FieldType } from '../../../contract/field-types.ts'
import type { Database } from '../../../database/client/database.ts'
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { readCsvRecords } from '../../../ground/csv/read-file.ts'
import { readPieces } from '../../files/file-pieces.ts'
import { guessType } from '../fields/guess-type.ts'
import { isPlainColumn } from './columns/plain-column.ts'
import { createSeparatorTally, type UnknownSeparator } from './columns/tag-separators.ts'

export interface FilePreview {
  headers: string[]
  rows: string[][]
  /** Of each column. */
  guessedTypes: FieldType[]
  /** Of each column: it has values, and says nothing of a status. */
  mayBeFields: boolean[]
  /** Of each column, were it one of tags. */
  separators: UnknownSeparator[][]
}

/** Lines below the header. */
const rowsMax = 5

/** Lines whose values a type is guessed from. */
const guessedFromMax = 200

/** Characters that a value shows; the import reads all of it. */
const valueMax = 200

/** Throws `CsvError` for a file that is not text, or is empty. */
export async function previewFile(
  db: Database,
  workspaceId: number,
  file: { id: string; bytes: number },
): Promise<FilePreview> {
  const lines: string[][] = []
  for await (const { records } of readCsvRecords(() => readPieces(db, workspaceId, file))) {
    lines.push(...records.map(({ values }) => values).filter((values) => values.length > 0))
    if (lines.length > guessedFromMax) break
  }
  const [headers = [], ...rows] = lines
    .slice(0, guessedFromMax + 1)
    .map((values) => values.map((value) => value.trim().slice(0, valueMax)))
  if (headers.length === 0) throw new CsvError('empty', 1)
  const columns = headers.map((header, column) => ({
    ...{ header, values: rows.map((row) => row[column] ?? '') },
  }))
  return {
    ...{ headers, rows: rows.slice(0, rowsMax) },
    guessedTypes: columns.map(({ values }) => guessType(values)),
    mayBeFields: columns.map(isPlainColumn),
    separators: columns.map(({ values }) => separatorsIn(values)),
  }
}

function separatorsIn(values: string[]): UnknownSeparator[] {
  const tally = createSeparatorTally()
  for (const value of values) tally.look(value)
  return tally.unknown()
}
