/**
 * Reads a CSV file from its bytes: its first line determines the delimiter; a byte order mark and a
 * line `sep=;` are removed.
 */
import type { OpenBytes } from './inspect-csv.ts'
import {
  CsvError,
  createCsvReader,
  detectDelimiter,
  namesDelimiter,
  type CsvRecord,
} from './read-csv.ts'

export interface CsvPiece {
  records: CsvRecord[]
  /** How long this piece of the file is. */
  bytes: number
  delimiter: string
}

/** The first record that is not empty, and the delimiter. Throws `CsvError`. */
export async function readHeader(
  open: OpenBytes,
): Promise<{ header: CsvRecord; delimiter: string }> {
  for await (const { records, delimiter } of readCsvRecords(open)) {
    const header = records.find((record) => record.values.length > 0)
    if (header) return { header, delimiter }
  }
  throw new CsvError('empty', 1)
}

/** Throws `CsvError`. */
export async function* readCsvRecords(open: OpenBytes): AsyncGenerator<CsvPiece> {
  // Takes a byte order mark away by itself (WHATWG Encoding 6.1).
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let reader: ReturnType<typeof createCsvReader> | null = null
  let delimiter = ','
  let hasBegun = false
  const withoutNamed = (records: CsvRecord[]): CsvRecord[] => {
    const first = hasBegun ? -1 : records.findIndex(({ values }) => values.length > 0)
    hasBegun ||= first !== -1
    return namesDelimiter(records[first]?.values ?? []) ? records.toSpliced(first, 1) : records
  }
  for await (const piece of open()) {
    const text = decoder.decode(piece, { stream: true })
    if (reader === null) reader = createCsvReader((delimiter = detectDelimiter(text)))
    yield { records: withoutNamed(reader.read(text)), bytes: piece.length, delimiter }
  }
  if (reader)
    yield {
      records: withoutNamed([...reader.read(decoder.decode()), ...reader.end()]),
      bytes: 0,
      delimiter,
    }
}
