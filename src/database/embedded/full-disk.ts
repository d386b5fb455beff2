/**
 * Notices that the disk of the embedded database is full. PostgreSQL says so in several ways, and
 * ends where its log finds no room.
 */
import { statfsSync } from 'node:fs'

/** It makes its log in files of this size. */
const logFileBytes = 16 << 20

const words = /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/

/**
 * `said`: the server's line. The reason in the operator's words where it is a full disk, and that
 * line.
 */
export const reasonOf = (folder: string, output: string): string =>
  words.test(output) || hasNoRoom(folder)
    ? `the disk of ${folder} is full. Make room there, and run the command again: ${output}`
    : output

export function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < logFileBytes
  } catch {
    return false
  }
}
