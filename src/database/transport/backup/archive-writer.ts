/** Writes a backup as one tar archive to a stream (POSIX.1-2024, pax: ustar Interchange Format). */
import { OperatorError } from '../../../ground/operator-error.ts'
import { fileError } from '../../../ground/file-error.ts'
import { pieceFile } from './backup-manifest.ts'
import type { BackupWriter } from './backup-writer.ts'

export const BLOCK_BYTES = 512

export interface ArchiveOptions {
  /** The name of the folder that the archive unpacks to. */
  folder: string
  /** The time of its files. */
  at: Date
  /** Aborted: the rest is not written, and its reason is thrown. */
  signal: AbortSignal
}

/** Why standard output takes no more. */
export function outputError(error: Error | null): Error {
  const isGone =
    error === null ||
    ('code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'))
  return isGone
    ? new OperatorError('The archive was not read to its end.')
    : fileError('The archive on standard output', 'written', error)
}

export function writeArchive(
  output: NodeJS.WritableStream,
  { folder, at, signal }: ArchiveOptions,
): BackupWriter {
  /**
   * The reader of a pipe may have gone without an answer to this write: the signal ends the wait.
   */
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop)
      output.write(bytes, (error) => {
        signal.removeEventListener('abort', stop)
        if (error) reject(outputError(error))
        else resolve()
      })
    })
  const addFile = async (name: string, bytes: Buffer): Promise<void> => {
    await write(headerOf(`${folder}/${name}`, bytes.length, at))
    await write(bytes)
    await write(Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1)))
  }
  return {
    addPiece: (table, piece, bytes) => addFile(pieceFile(table, piece), bytes),
    addFile,
    finish: () => write(Buffer.alloc(2 * BLOCK_BYTES)),
    abandon: () => Promise.resolve(),
  }
}

/**
 * The header of a regular file that only its owner can read. Names are short and sizes small:
 * nothing else is needed.
 */
function headerOf(name: string, size: number, at: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`The name ${name} is too long for an archive`)
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, width: number): string =>
    `${value.toString(8).padStart(width - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(at.getTime() / 1000), 12), 136)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  // The checksum counts its own field as spaces.
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
