/**
 * Checks the digest of every file of a backup, so that damage is found before a database is made.
 */
import { createHash } from 'node:crypto'
import type { BackupReader } from './backup-reader.ts'
import { damagedTable } from './load-backup.ts'

/**
 * Throws `OperatorError` that names the damaged file. `onProgress` gets the share from 0 to 1, and
 * the bytes that were read.
 */
export async function checkFiles(
  backup: BackupReader,
  { onProgress, signal }: { onProgress?(share: number, bytes: number): void; signal: AbortSignal },
): Promise<void> {
  const { tables } = backup.manifest
  const expected = tables.reduce(
    (sum, { pieces }) => pieces.reduce((all, length) => all + length, sum),
    0,
  )
  let bytes = 0
  for (const { name, sha256 } of tables) {
    const result = createHash('sha256')
    for await (const piece of backup.pieces(name)) {
      signal.throwIfAborted()
      result.update(piece)
      bytes += piece.length
      onProgress?.(expected > 0 ? bytes / expected : 1, bytes)
    }
    if (result.digest('hex') !== sha256) throw damagedTable(backup, name)
  }
}
