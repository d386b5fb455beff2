/**
 * Counts the rows of a table in COPY's binary format, and computes a digest that does not depend on
 * their order: two databases store the same rows in different places (PostgreSQL: COPY, Binary
 * Format).
 */
import { hash } from 'node:crypto'

/** The signature, the flags, and the length of the header's extension. */
const HEADER_BYTES = 11 + 4 + 4

export interface CountedRows {
  rows: number
  /**
   * The sum of the rows' digests: rows that leave or come change it without a look at the others.
   */
  digest: string
}

export interface RowDigest {
  /** Takes the next bytes of the table. */
  add(chunk: Buffer): void
  /** Throws when the table does not end with its last row. */
  end(): CountedRows
}

export function createRowDigest(): RowDigest {
  let chunks: Buffer[] = []
  let buffered = 0
  /** With fewer bytes the next row is not complete. */
  let bytesNeeded = HEADER_BYTES
  let isBegun = false
  let isOver = false
  let rows = 0
  /** The sum of the rows' SHA-256, word by word. */
  const sum = new Uint32Array(8)

  const count = (row: Buffer): void => {
    const words = hash('sha256', row, 'buffer')
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + words.readUInt32LE(at * 4)
    rows++
  }
  return {
    add(chunk) {
      chunks.push(chunk)
      buffered += chunk.length
      if (buffered < bytesNeeded) return
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, buffered)
      let from = 0
      if (!isBegun) {
        from = HEADER_BYTES + bytes.readUInt32BE(HEADER_BYTES - 4)
        isBegun = true
      }
      for (;;) {
        const end = isOver ? { needs: 1 } : endOfRow(bytes, from)
        if (end === 'trailer') {
          isOver = true
          from += 2
          continue
        }
        if (typeof end === 'object') {
          chunks = from < bytes.length ? [bytes.subarray(from)] : []
          buffered = bytes.length - from
          bytesNeeded = end.needs
          return
        }
        count(bytes.subarray(from, end))
        from = end
      }
    },
    end() {
      if (!isOver || buffered > 0) throw new Error('A table ended in the middle of a row')
      return { rows, digest: Buffer.from(sum.buffer).toString('hex') }
    },
  }
}

/** Where the row that begins at `from` ends; or how many bytes from there are needed to know. */
function endOfRow(bytes: Buffer, from: number): number | 'trailer' | { needs: number } {
  if (bytes.length < from + 2) return { needs: 2 }
  const fields = bytes.readInt16BE(from)
  if (fields === -1) return 'trailer'
  let at = from + 2
  for (let field = 0; field < fields; field++) {
    if (bytes.length < at + 4) return { needs: at + 4 - from }
    const length = bytes.readInt32BE(at)
    at += 4 + Math.max(0, length)
  }
  return bytes.length < at ? { needs: at - from } : at
}

/** The count and digest of a table after some rows have left it, and others have come. */
export function changedRows(
  before: CountedRows,
  { left, came }: { left: CountedRows; came: CountedRows },
): CountedRows {
  const [words, minus, plus] = [before, left, came].map(({ digest }) =>
    Buffer.from(digest, 'hex'),
  ) as [Buffer, Buffer, Buffer]
  for (let at = 0; at < words.length; at += 4)
    words.writeUInt32LE(
      (words.readUInt32LE(at) - minus.readUInt32LE(at) + plus.readUInt32LE(at)) >>> 0,
      at,
    )
  return { rows: before.rows - left.rows + came.rows, digest: words.toString('hex') }
}
