/**
 * Divides the bytes of a table into compressed pieces, so that tables of any size pass through
 * little memory.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

/** Bytes of a piece before compression, about. */
const pieceBytes = 4 * 1024 * 1024
/** A piece ends with the chunk that fills it. */
const pieceBytesMax = pieceBytes + 1024 * 1024

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** `onChunk` sees the bytes before compression. */
export async function* compressedPieces(
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    onChunk(chunk)
    buffered.push(chunk)
    bytes += chunk.length
    if (bytes < pieceBytes) continue
    yield await compressed(buffered)
    buffered = []
    bytes = 0
  }
  if (bytes > 0) yield await compressed(buffered)
}

const compressed = (chunks: Buffer[]): Promise<Buffer> =>
  compress(Buffer.concat(chunks), { params: { [constants.ZSTD_c_compressionLevel]: 3 } })

/** Rejects for bytes that are no piece. */
export const expandPiece = (piece: Buffer): Promise<Buffer> =>
  decompress(piece, { maxOutputLength: pieceBytesMax })
