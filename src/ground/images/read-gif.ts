/**
 * GIF (89a): a screen, then blocks, of which pictures, their timing and how often they are repeated
 * are kept.
 */

export function readGif(bytes: Buffer): { width: number; height: number; bytes: Buffer } | null {
  if (!/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) || bytes.length < 13) return null
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let at = 13 + tableLength(bytes[10] ?? 0)
  const parts = [bytes.subarray(0, at)]
  let hasPixels = false
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === trailer)
      return hasPixels
        ? { ...size, bytes: Buffer.concat([...parts, Buffer.from([trailer])]) }
        : null
    const data =
      kind === picture
        ? at + 11 + tableLength(bytes[at + 9] ?? 0)
        : kind === extension
          ? at + 2
          : null
    const end = data === null ? null : endOfBlocks(bytes, data)
    if (end === null) return null
    hasPixels ||= kind === picture
    if (kind === picture || isKept(bytes, at)) parts.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

const [trailer, picture, extension] = [0x3b, 0x2c, 0x21]

/** The size in bytes of the colour table that a packed field announces. */
const tableLength = (packed: number): number =>
  (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1)

/** Where a chain of blocks, each behind its length, ends. Null means beyond the file. */
function endOfBlocks(bytes: Buffer, from: number): number | null {
  for (let at = from; at < bytes.length;) {
    const length = bytes[at] ?? 0
    at += 1 + length
    if (length === 0) return at
  }
  return null
}

/**
 * Timing, and the two names under which programs say how often an animation is repeated; neither
 * comments nor texts.
 */
function isKept(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1]
  if (label === 0xf9) return true
  return (
    label === 0xff &&
    ['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(bytes.toString('latin1', at + 3, at + 14))
  )
}
