/**
 * Looks at a whole file while it is read: its length and hash, and that it is UTF-8 from end to
 * end.
 */
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

/**
 * Passes on the bytes of a file, whole lines at a time, once they are known to be UTF-8.
 * `inspected()` answers when the last one was read. Reading throws `CsvError` with the line that is
 * not UTF-8.
 */
export function inspecting(open: OpenBytes): { open: OpenBytes; inspected(): InspectedCsv } {
  const hash = createHash('sha256')
  let size = 0
  return {
    async *open() {
      let line = 1
      // The beginning of a line whose end is in the next piece.
      let head: Buffer = Buffer.alloc(0)
      for await (const piece of open()) {
        if (size === 0 && isUtf16(piece)) throw new CsvError('utf16', 1)
        hash.update(piece)
        size += piece.length
        const end = piece.lastIndexOf(lineFeed) + 1
        if (end === 0) head = Buffer.concat([head, piece])
        else {
          const lines =
            head.length === 0
              ? piece.subarray(0, end)
              : Buffer.concat([head, piece.subarray(0, end)])
          inspect(lines, line)
          yield lines
          line += countLineFeeds(lines)
          head = Buffer.from(piece.subarray(end))
        }
        // A letter may take four bytes.
        if (head.length > 4 * recordMax) throw new CsvError('record_too_long', line)
      }
      inspect(head, line)
      if (head.length > 0) yield head
    },
    inspected: () => ({ bytes: size, hash: hash.digest() }),
  }
}

/** Reads a file to its end for that alone. Throws `CsvError`. */
export async function inspectCsv(open: OpenBytes): Promise<InspectedCsv> {
  const inspection = inspecting(open)
  for await (const _lines of inspection.open());
  return inspection.inspected()
}

const lineFeed = 0x0a

/**
 * Byte order marks of UTF-16 (The Unicode Standard, 23.8): what spreadsheets call "Unicode text".
 */
const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** `line`: the number of its first line. */
function inspect(bytes: Buffer, line: number): void {
  if (!isUtf8(bytes)) throw new CsvError('not_utf8', line + linesBeforeFault(bytes))
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++
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
