/** Reads the first lines of a stored file: its column names and their first values. */
import type { Database } from '../../../database/client/database.ts'
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { readCsvRecords } from '../../../ground/csv/read-file.ts'
import { readPieces } from '../../files/file-pieces.ts'

export interface FilePreview {
  headers: string[]
  rows: string[][]
}

/** Lines below the header. */
const rowsMax = 5

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
    if (lines.length > rowsMax) break
  }
  const [headers = [], ...rows] = lines
    .slice(0, rowsMax + 1)
    .map((values) => values.map((value) => value.trim().slice(0, valueMax)))
  if (headers.length === 0) throw new CsvError('empty', 1)
  return { headers, rows }
}
