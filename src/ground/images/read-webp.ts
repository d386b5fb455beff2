/** WebP (RFC 9649): chunks in a RIFF file, of which those that make the picture are kept. */

const keptChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])

export function readWebp(bytes: Buffer): { width: number; height: number; bytes: Buffer } | null {
  if (
    bytes.length < 20 ||
    bytes.toString('latin1', 0, 4) !== 'RIFF' ||
    bytes.toString('latin1', 8, 12) !== 'WEBP'
  )
    return null
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) return null
  const parts: Buffer[] = []
  let size: { width: number; height: number } | null = null
  let hasPixels = false
  for (let at = 12; at + 8 <= end;) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    // A chunk of odd length is followed by a zero.
    const next = at + 8 + length + (length & 1)
    if (at + 8 + length > end) return null
    const content = bytes.subarray(at + 8, at + 8 + length)
    size ??= sizeOf(name, content)
    if (size === null) return null
    hasPixels ||= name === 'VP8 ' || name === 'VP8L' || name === 'ANMF'
    if (keptChunks.has(name))
      parts.push(
        name === 'VP8X' ? withoutFlags(bytes.subarray(at, next)) : bytes.subarray(at, next),
      )
    at = next
  }
  if (!size || !hasPixels) return null
  const body = Buffer.concat(parts)
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + body.length, 4)
  return { ...size, bytes: Buffer.concat([head, body]) }
}

/** Of the first chunk, which is one of three (RFC 9649 2.5 to 2.7). */
function sizeOf(name: string, content: Buffer): { width: number; height: number } | null {
  if (name === 'VP8X' && content.length >= 10)
    return { width: content.readUIntLE(4, 3) + 1, height: content.readUIntLE(7, 3) + 1 }
  if (name === 'VP8 ' && content.length >= 10 && content.readUIntBE(3, 3) === 0x9d012a)
    return { width: content.readUInt16LE(6) & 0x3fff, height: content.readUInt16LE(8) & 0x3fff }
  if (name === 'VP8L' && content.length >= 5 && content[0] === 0x2f) {
    const bits = content.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return null
}

/** Says no longer that Exif and XMP data follow. */
function withoutFlags(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk)
  copy[8] = (copy[8] ?? 0) & ~0x0c
  return copy
}
