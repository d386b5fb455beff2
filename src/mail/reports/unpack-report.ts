/**
 * Unpacks the file of a DMARC or TLS report: gzip (RFC 1952), zip, or as it is. Its beginning
 * decides, since reporters name types and files as they like. Nothing is unpacked beyond a size and
 * a ratio, and no archive within an archive.
 */
import { crc32, inflateRawSync, type InflateRaw } from 'node:zlib'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

/**
 * Bytes of an unpacked report. Those of the largest receivers for busy domains have a few
 * megabytes.
 */
export const unpackedMax = 16_000_000
/** XML of a thousand similar records shrinks to a hundredth; a bomb to a thousandth. */
const ratioMax = 300
/** Below this, the ratio says nothing. */
const anyRatio = 256_000
/** Entries of an archive: one file, and perhaps its folders. */
const entriesMax = 5

/** Rejects when it is beyond the limits, broken, or no archive of one file. */
export async function unpackReport(packed: Buffer): Promise<Buffer> {
  const unpacked = isGzip(packed)
    ? unpackGzip(packed)
    : isZip(packed)
      ? await unpackZip(packed)
      : packed
  if (unpacked.length > unpackedMax) throw new Error(`more than ${unpackedMax} bytes`)
  if (unpacked !== packed && (isGzip(unpacked) || isZip(unpacked)))
    throw new Error('an archive within an archive')
  return unpacked
}

export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
export const isZip = (bytes: Buffer): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] ?? 0) < 9 && (bytes[3] ?? 0) < 9

const lengthMax = (packedBytes: number): number =>
  Math.min(unpackedMax, Math.max(anyRatio, packedBytes * ratioMax))

/**
 * RFC 1952 2.2: a file is one member after the other. Bytes behind the last one, such as a
 * line end, belong to none.
 */
function unpackGzip(packed: Buffer): Buffer {
  const members: Buffer[] = []
  let length = 0
  for (let rest = packed; isGzip(rest) && members.length < entriesMax;) {
    const body = rest.subarray(gzipHeaderLength(rest))
    const { buffer, engine } = inflateMember(body, lengthMax(packed.length) - length)
    const sum = body.subarray(engine.bytesWritten, engine.bytesWritten + 8)
    if (
      sum.length < 8 ||
      sum.readUInt32LE(0) !== crc32(buffer) ||
      sum.readUInt32LE(4) !== buffer.length
    )
      throw new Error('an archive with a wrong sum')
    members.push(buffer)
    length += buffer.length
    rest = body.subarray(engine.bytesWritten + 8)
  }
  return Buffer.concat(members)
}

/**
 * zlib itself stops at the limit, and at the member's end. With `info` it answers what it read (its
 * types lack that).
 */
const inflateMember = (body: Buffer, maxOutputLength: number) =>
  inflateRawSync(body, { maxOutputLength, info: true }) as unknown as {
    buffer: Buffer
    engine: InflateRaw
  }

/** RFC 1952 2.3: ten bytes, then the fields that the flags name. */
function gzipHeaderLength(packed: Buffer): number {
  const flags = packed[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + (at + 2 <= packed.length ? packed.readUInt16LE(at) : 0)
  for (const flag of [8, 16]) if (flags & flag) at = packed.indexOf(0, at) + 1 || packed.length
  return flags & 2 ? at + 2 : at
}

async function unpackZip(packed: Buffer): Promise<Buffer> {
  const { zip, entry } = await onlyFile(packed)
  if (entry.isEncrypted()) throw new Error('an encrypted archive')
  if (entry.uncompressedSize > lengthMax(entry.compressedSize))
    throw new Error('an archive that grows too much')
  const content = await contentOf(zip, entry)
  // yauzl checks the length and leaves the sum to its callers.
  if (crc32(content) !== entry.crc32) throw new Error('an archive with a wrong sum')
  return content
}

function onlyFile(packed: Buffer): Promise<{ zip: ZipFile; entry: Entry }> {
  return new Promise((resolve, reject) => {
    fromBuffer(packed, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error) return reject(error)
      if (zip.entryCount > entriesMax) return reject(new Error(`more than ${entriesMax} files`))
      const files: Entry[] = []
      zip.on('error', reject)
      zip.on('entry', (entry: Entry) => {
        if (!entry.fileName.endsWith('/')) files.push(entry)
        zip.readEntry()
      })
      zip.on('end', () => {
        const [entry, another] = files
        if (entry === undefined || another !== undefined)
          reject(new Error('an archive of another number of files than one'))
        else resolve({ zip, entry })
      })
      zip.readEntry()
    })
  })
}

function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) return reject(error)
      const pieces: Buffer[] = []
      // No more comes than the size that was checked: yauzl ends the stream with an error.
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('error', reject)
      stream.on('end', () => resolve(Buffer.concat(pieces)))
    })
  })
}
