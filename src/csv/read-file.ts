/** Reads a CSV file from its bytes: its first line determines the delimiter; a byte order mark and a line `sep=;` are removed. */
import type { OpenBytes } from './inspect-csv.ts'
import { CsvError, createCsvReader, detectDelimiter, namesDelimiter, type CsvRecord } from './read-csv.ts'

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
  let hasBegun = false
  const withoutNamed = (records: CsvRecord[]): CsvRecord[] => {
    const first = hasBegun ? -1 : records.findIndex(({ cells }) => cells.length > 0)
    hasBegun ||= first !== -1
    return namesDelimiter(records[first]?.cells ?? []) ? records.toSpliced(first, 1) : records
  }
  for await (const piece of open()) {
    const text = decoder.decode(piece, { stream: true })
    reader ??= createCsvReader(detectDelimiter(text))
    yield { records: withoutNamed(reader.read(text)), bytes: piece.length }
  }
  if (reader) yield { records: withoutNamed([...reader.read(decoder.decode()), ...reader.end()]), bytes: 0 }
}
