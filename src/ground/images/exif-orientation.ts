/**
 * Which side of a photograph is up: the one thing of its Exif data (CIPA DC-008) that is kept, and
 * nothing of where and when.
 */

/** 1 to 8, from the content of a JPEG's APP1 segment; null if it has no orientation. */
export function readOrientation(content: Buffer): number | null {
  if (content.toString('latin1', 0, 6) !== 'Exif\0\0' || content.length < 14) return null
  const tiff = content.subarray(6)
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return null
  const short = (at: number): number =>
    order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const first = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (first + 2 > tiff.length) return null
  for (let entry = 0, entries = short(first); entry < entries; entry++) {
    const at = first + 2 + entry * 12
    if (at + 12 > tiff.length) return null
    if (short(at) !== 0x0112) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : null
  }
  return null
}

/** The segment that says so and nothing else; none for a picture that is upright. */
export function writeOrientation(orientation: number): Buffer[] {
  if (orientation === 1) return []
  const head = Buffer.from([0xff, 0xe1, 0, 34])
  // Big-endian, the first directory at 8, with one entry: 0x0112, a short, one of it.
  const tiff = Buffer.from([
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ])
  return [Buffer.concat([head, Buffer.from('Exif\0\0', 'latin1'), tiff])]
}
