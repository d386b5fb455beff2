/**
 * Notices that the disk of the embedded database is full. PostgreSQL says so in several ways, and
 * ends where its log finds no room.
 */
import { statfsSync } from 'node:fs'

/** It makes its log in files of this size. */
const logFileBytes = 16 << 20

const words = /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/

/**
 * Returns the server's line `output`. If the disk is full, the operator's words for that stand
 * before it.
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
