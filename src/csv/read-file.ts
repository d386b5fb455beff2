/** Reads a CSV file from its bytes: its first line determines the delimiter, and a byte order mark is removed. */
import type { OpenBytes } from './inspect-csv.ts'
import { CsvError, createCsvReader, detectDelimiter, type CsvRecord } from './read-csv.ts'

/** The cells of the first record that is not empty. Throws `CsvError`. */
export async function readHeader(open: OpenBytes): Promise<string[]> {
  for await (const { records } of readCsvRecords(open)) {
    const first = records.find((record) => record.cells.length > 0)
    if (first) return first.cells
  }
  throw new CsvError('empty', 1)
}

/** The records of each piece of the file, and how long that piece was. Throws `CsvError`. */
export async function* readCsvRecords(open: OpenBytes): AsyncGenerator<{ records: CsvRecord[]; bytes: number }> {
  // Takes a byte order mark away by itself (WHATWG Encoding 6.1).
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let reader: ReturnType<typeof createCsvReader> | null = null
  for await (const piece of open()) {
    const text = decoder.decode(piece, { stream: true })
    reader ??= createCsvReader(detectDelimiter(text))
    yield { records: reader.read(text), bytes: piece.length }
  }
  if (reader) yield { records: [...reader.read(decoder.decode()), ...reader.end()], bytes: 0 }
}
