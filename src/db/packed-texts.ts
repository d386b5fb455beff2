/** Long texts as one binary parameter: PostgreSQL reads an array of texts letter by letter, and slices bytes at no cost. */

/** All texts one after the other in UTF-8, and where each lies. */
export interface PackedTexts {
  bytes: Buffer
  /** 1 for the first octet, as SQL's `substring` counts. */
  starts: number[]
  /** Null for a text that is null. */
  lengths: (number | null)[]
}

/** In SQL: `convert_from(substring(bytes from start for length), 'UTF8')`, null where the length is. */
export function packTexts(texts: (string | null)[]): PackedTexts {
  const lengths = texts.map((text) => (text === null ? null : Buffer.byteLength(text)))
  const bytes = Buffer.allocUnsafe(lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0))
  const starts: number[] = []
  let at = 0
  for (const [index, text] of texts.entries()) {
    starts.push(at + 1)
    if (text !== null) bytes.write(text, at)
    at += lengths[index] ?? 0
  }
  return { bytes, starts, lengths }
}
