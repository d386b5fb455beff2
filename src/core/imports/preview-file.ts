/** The first lines of a file that is kept: what its columns are called, and what stands in them. */
import type { Database } from '../../db/connection/connect.ts'
import { CsvError } from '../../csv/read-csv.ts'
import { readCsvRecords } from '../../csv/read-file.ts'
import { readPieces } from './file-pieces.ts'

export interface FilePreview {
  headers: string[]
  rows: string[][]
}

/** Lines below the header. */
const rowsMost = 5

/** What a cell shows; the rest of it is imported all the same. */
const cellMax = 200

/** Throws `CsvError` for what is no text, or holds nothing. */
export async function previewFile(db: Database, workspaceId: number, file: { id: string; octets: number }): Promise<FilePreview> {
  const lines: string[][] = []
  for await (const { records } of readCsvRecords(() => readPieces(db, workspaceId, file))) {
    lines.push(...records.map(({ cells }) => cells).filter((cells) => cells.length > 0))
    if (lines.length > rowsMost) break
  }
  const [headers = [], ...rows] = lines.slice(0, rowsMost + 1).map((cells) => cells.map((cell) => cell.trim().slice(0, cellMax)))
  if (headers.length === 0) throw new CsvError('empty', 1)
  return { headers, rows }
}
