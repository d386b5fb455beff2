/**
 * Packs long values into one binary parameter: PostgreSQL parses an array letter by letter, and
 * slices bytes at no cost.
 */

/** All values one after the other, with the position of each. */
export interface Packed {
  bytes: Buffer
  /** 1 for the first byte, as SQL's `substring` counts. */
  starts: number[]
  /** Null for a value that is null. */
  lengths: (number | null)[]
}

/** In SQL: `substring(bytes from start for length)`, null where the length is. */
export function packBytes(values: (Buffer | null)[]): Packed {
  const lengths = values.map((value) => value?.length ?? null)
  const held = values.filter((value) => value !== null)
  const [only] = held
  // A single value may be large, and needs no copy.
  return {
    bytes: only && held.length === 1 ? only : Buffer.concat(held),
    starts: startsOf(lengths),
    lengths,
  }
}

/** In SQL: `convert_from(substring(bytes from start for length), 'UTF8')`. */
export function packTexts(texts: (string | null)[]): Packed {
  const lengths = texts.map((text) => (text === null ? null : Buffer.byteLength(text)))
  const bytes = Buffer.allocUnsafe(lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0))
  let end = 0
  for (const text of texts) if (text !== null) end += bytes.write(text, end)
  return { bytes, starts: startsOf(lengths), lengths }
}

function startsOf(lengths: (number | null)[]): number[] {
  let next = 1
  return lengths.map((length) => {
    const start = next
    next += length ?? 0
    return start
  })
}
