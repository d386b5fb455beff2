/** Reads an import file as batches that one statement can store, with the rows that are invalid by themselves. */
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import { readHeader, readCsvRecords } from '../../csv/read-file.ts'
import type { ImportColumns } from '../import-files/import-columns.ts'
import { readRow, type ImportRow, type RefusedRow } from '../import-files/read-row.ts'

export interface ImportBatch {
  /** Records up to its end, without the header and empty lines. */
  recordsDone: number
  /** Bytes of the file that were read for it. */
  bytesDone: number
  rows: ImportRow[]
  refused: RefusedRow[]
}

interface Options {
  /** Maps the header to columns. */
  columnsOf(headers: string[]): ImportColumns
  /** How many tags each subscriber gets from the import's settings. */
  tagsOfAll: number
  batchSize: number
}

/** Reads the header, and after it batches from record `skip` on. Throws `CsvError`, and `OperatorError` for a header without an address. */
export async function readImport(
  open: OpenBytes,
  options: Options,
): Promise<{ columns: ImportColumns; from(skip: number): AsyncGenerator<ImportBatch> }> {
  const header = await readHeader(open)
  const columns = options.columnsOf(header)
  return { columns, from: (skip) => readBatches(open, columns, skip, options) }
}

async function* readBatches(
  open: OpenBytes,
  columns: ImportColumns,
  skip: number,
  { tagsOfAll, batchSize }: Options,
): AsyncGenerator<ImportBatch> {
  // The header is not counted as a record.
  let recordsDone = -1
  let bytesDone = 0
  let batch: Pick<ImportBatch, 'rows' | 'refused'> = { rows: [], refused: [] }
  for await (const { records, bytes } of readCsvRecords(open)) {
    bytesDone += bytes
    for (const record of records) {
      if (record.cells.length === 0) continue
      recordsDone++
      if (recordsDone === 0 || recordsDone <= skip) continue
      const row = readRow(record, columns, tagsOfAll)
      if ('reason' in row) batch.refused.push(row)
      else batch.rows.push(row)
      if (batch.rows.length + batch.refused.length < batchSize) continue
      yield { recordsDone, bytesDone, ...batch }
      batch = { rows: [], refused: [] }
    }
  }
  if (batch.rows.length + batch.refused.length > 0) yield { recordsDone, bytesDone, ...batch }
}
