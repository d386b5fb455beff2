/** Looks at a whole file before anything of it is used: its length and hash, and that it is UTF-8 from end to end. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { CsvError, recordMax } from './read-csv.ts'

/** Gives the bytes from their beginning, each time it is called. */
export type OpenBytes = () => AsyncIterable<Buffer>

export interface InspectedCsv {
  bytes: number
  /** SHA-256. */
  hash: Buffer
}

/** Throws `CsvError` with the line that is not UTF-8. */
export async function inspectCsv(open: OpenBytes): Promise<InspectedCsv> {
  const hash = createHash('sha256')
  let size = 0
  let line = 1
  // The beginning of a line whose end is in the next piece.
  let begun = Buffer.alloc(0)
  const inspect = (bytes: Buffer): void => {
    if (!isUtf8(bytes)) throw new CsvError('not_utf8', line + linesBeforeFault(bytes))
  }
  for await (const piece of open()) {
    if (size === 0 && isUtf16(piece)) throw new CsvError('utf16', 1)
    hash.update(piece)
    size += piece.length
    const [first, last] = [piece.indexOf(lineFeed), piece.lastIndexOf(lineFeed)]
    const rest = piece.subarray(last + 1)
    if (first === -1) begun = Buffer.concat([begun, rest])
    else {
      inspect(Buffer.concat([begun, piece.subarray(0, first + 1)]))
      line++
      inspect(piece.subarray(first + 1, last + 1))
      line += countLineFeeds(piece, first + 1)
      begun = Buffer.from(rest)
    }
    // A letter may take four bytes.
    if (begun.length > 4 * recordMax) throw new CsvError('record_too_long', line)
  }
  inspect(begun)
  return { bytes: size, hash: hash.digest() }
}

const lineFeed = 0x0a

/** Byte order marks of UTF-16 (The Unicode Standard, 23.8): what spreadsheets call "Unicode text". */
const isUtf16 = (bytes: Buffer): boolean => (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

function countLineFeeds(bytes: Buffer, from: number): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed, from); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}

function linesBeforeFault(bytes: Buffer): number {
  let lines = 0
  for (let from = 0; from < bytes.length; lines++) {
    const end = bytes.indexOf(lineFeed, from)
    const next = end === -1 ? bytes.length : end + 1
    if (!isUtf8(bytes.subarray(from, next))) return lines
    from = next
  }
  return lines
}
