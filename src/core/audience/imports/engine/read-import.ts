/**
 * Reads an import file as batches that one statement can store, with the rows that are invalid by
 * themselves.
 */
import type { OpenBytes } from '../../../../ground/csv/inspect-csv.ts'
import { readCsvRecords } from '../../../../ground/csv/read-file.ts'
import { readRow, type ImportRow, type RefusedRow, type RowReading } from '../columns/read-row.ts'

export interface ImportBatch {
  /** Records up to its end, without the header and empty lines. */
  recordsDone: number
  /** Bytes of the file that were read for it. */
  bytesDone: number
  rows: ImportRow[]
  refused: RefusedRow[]
}

/** Batches after the first `skip` records. Throws `CsvError`. */
export async function* readBatches(
  open: OpenBytes,
  { reading, skip, batchSize }: { reading: RowReading; skip: number; batchSize: number },
): AsyncGenerator<ImportBatch> {
  // The header is not counted as a record.
  let recordsDone = -1
  let bytesDone = 0
  let batch: Pick<ImportBatch, 'rows' | 'refused'> = { rows: [], refused: [] }
  for await (const { records, bytes } of readCsvRecords(open)) {
    bytesDone += bytes
    for (const record of records) {
      if (record.values.length === 0) continue
      recordsDone++
      if (recordsDone === 0 || recordsDone <= skip) continue
      const row = readRow(record, reading)
      if ('reason' in row) batch.refused.push(row)
      else batch.rows.push(row)
      if (batch.rows.length + batch.refused.length < batchSize) continue
      yield { recordsDone, bytesDone, ...batch }
      batch = { rows: [], refused: [] }
    }
  }
  if (batch.rows.length + batch.refused.length > 0) yield { recordsDone, bytesDone, ...batch }
}
