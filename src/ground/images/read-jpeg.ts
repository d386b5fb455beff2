/**
 * JPEG (ITU-T T.81, Annex B): segments behind markers, of which those that make the picture are
 * kept, and which side is up.
 */
import { readOrientation, writeOrientation } from './exif-orientation.ts'

export function readJpeg(bytes: Buffer): { width: number; height: number; bytes: Buffer } | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  const parts: Buffer[] = []
  let size: { width: number; height: number } | null = null
  let orientation = 1
  let hasPixels = false
  let at = 2
  while (at + 2 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    // Any number of 0xff may stand before a marker (B.1.1.2).
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === 0xd9) {
      if (!size || !hasPixels) return null
      const shown = orientation >= 5 ? { width: size.height, height: size.width } : size
      const start = Buffer.from([0xff, 0xd8])
      return {
        ...shown,
        bytes: Buffer.concat([
          start,
          ...writeOrientation(orientation),
          ...parts,
          Buffer.from([0xff, 0xd9]),
        ]),
      }
    }
    if (at + 4 > bytes.length) return null
    const length = bytes.readUInt16BE(at + 2)
    let end = at + 2 + length
    if (length < 2 || end > bytes.length) return null
    const content = bytes.subarray(at + 4, end)
    if (isFrame(marker)) {
      if (content.length < 6) return null
      size = { height: content.readUInt16BE(1), width: content.readUInt16BE(3) }
    }
    if (marker === 0xe1) orientation = readOrientation(content) ?? orientation
    if (marker === 0xda) {
      hasPixels = true
      end = endOfScan(bytes, end)
    }
    if (isKept(marker, content)) parts.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

/** SOF0 to SOF15, without the three markers between them that are something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * The kept segments of applications: JFIF, colour profiles, and Adobe's, which defines the colours.
 */
function isKept(marker: number, content: Buffer): boolean {
  const starts = (name: string): boolean => content.toString('latin1', 0, name.length) === name
  if (marker === 0xe0) return starts('JFIF\0')
  if (marker === 0xe2) return starts('ICC_PROFILE\0')
  if (marker === 0xee) return starts('Adobe')
  return !(marker >= 0xe0 && marker <= 0xef) && marker !== 0xfe
}

/** Coded data go on to the next marker that is neither a stuffed zero nor a restart (B.1.1.5). */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}
