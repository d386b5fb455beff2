/**
 * Reads the first lines of a stored file: its column names, their first values, and what type these
 * look like.
 */
import type { FieldType } from '../../../contract/field-types.ts'
import type { Database } from '../../../database/client/database.ts'
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { readCsvRecords } from '../../../ground/csv/read-file.ts'
import { readPieces } from '../../files/file-pieces.ts'
import { guessType } from '../fields/guess-type.ts'

export interface FilePreview {
  headers: string[]
  rows: string[][]
  /** Of each column. */
  guessedTypes: FieldType[]
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
  const guessedTypes = headers.map((_, column) => guessType(rows.map((row) => row[column] ?? '')))
  return { headers, rows: rows.slice(0, rowsMax), guessedTypes }
}
