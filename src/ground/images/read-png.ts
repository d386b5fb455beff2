/** PNG (ISO/IEC 15948): a signature and chunks, of which those that make the picture are kept. */
import { wordSet } from '../words.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Critical ones, those that colours and sizes depend on, and those of animations. */
const keptChunks = wordSet(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs acTL fcTL fdAT',
)

export function readPng(bytes: Buffer): { width: number; height: number; bytes: Buffer } | null {
  if (!bytes.subarray(0, 8).equals(signature)) return null
  const parts: Buffer[] = [signature]
  let size: { width: number; height: number } | null = null
  let hasPixels = false
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + length
    if (end > bytes.length) return null
    if (size === null) {
      if (name !== 'IHDR' || length !== 13) return null
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
    }
    hasPixels ||= name === 'IDAT'
    if (keptChunks.has(name)) parts.push(bytes.subarray(at, end))
    if (name === 'IEND') return hasPixels ? { ...size, bytes: Buffer.concat(parts) } : null
    at = end
  }
  return null
}
